# Viscous Burgers: a wave that steepens until viscosity stops it.

coordinate x in [0, 1) periodic
coordinate t in [0, 0.5] time
field u

coefficient nu in [0.005, 0.05] log

equation u: u_t + d(u^2/2, x) = nu*u_xx
initial u = 0.5 + 0.5*sin(2*pi*x)

case smooth: nu=0.03
case steep:  nu=0.008

network   width 96, layers 3, fourier x 1..6
reference points 512, times 101
