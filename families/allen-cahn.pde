# Allen-Cahn: two phases separate, and thin walls between them drift.

coordinate x in [-1, 1) periodic
coordinate t in [0, 1] time
field u

coefficient eps in [0.002, 0.02] log
coefficient r   in [1, 5]

equation u: u_t = eps*u_xx + r*(u - u^3)
initial u = -0.6*cos(pi*x) + 0.25*cos(3*pi*x + 0.5)

case gentle: eps=0.01  r=2
case sharp:  eps=0.004 r=4

network   width 96, layers 3, fourier x 1..6
reference points 512, times 101
