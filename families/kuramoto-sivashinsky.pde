# Kuramoto-Sivashinsky: long waves grow, short ones are damped. Fourth derivatives.

coordinate x in [0, 2*pi) periodic
coordinate t in [0, 2] time
field u

coefficient nu in [0.2, 0.6]

equation u: u_t + u*u_x + u_xx + nu*u_xxxx = 0
initial u = sin(x) + 0.3*cos(2*x + 0.4)

case lively: nu=0.25
case damped: nu=0.5

network   width 96, layers 3, fourier x 1..6
reference points 256, times 101
