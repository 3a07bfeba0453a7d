# Heat that spreads around a ring.

coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u

coefficient D in [1e-3, 1e-1] log

equation u: u_t = D*u_xx
initial u = sin(2*pi*x) + 0.5*cos(6*pi*x)

case slow:   D=0.002
case medium: D=0.01
case fast:   D=0.05

network   width 64, layers 2
adapt     steps 2000
reference points 128, times 101
