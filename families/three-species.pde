# Three species that compete in a circle: u yields to v, v to w, w to u.

coordinate x in [0, 1) periodic
coordinate t in [0, 2] time
field u, v, w

coefficient D         in [0.001, 0.01] log
coefficient rho       in [0.5, 1.5]
coefficient k, l, m   in [0.5, 2] optional   # how strongly each is pushed back by the next

equation u: u_t = D*u_xx + rho*u*(1 - u) - k*u*v
equation v: v_t = D*v_xx + rho*v*(1 - v) - l*v*w
equation w: w_t = D*w_xx + rho*w*(1 - w) - m*w*u

initial u = 0.4 + 0.2*cos(2*pi*x)
initial v = 0.4 + 0.2*cos(2*pi*(x - 1/3))
initial w = 0.4 + 0.2*cos(2*pi*(x + 1/3))

structure alone    without k, l, m
structure one_pair without l, m
structure chain    without m
held circle

case calm   chain:  D=0.005 rho=1   k=0.8 l=0.8
case circle circle: D=0.004 rho=1.2 k=1.5 l=1.2 m=0.9

network   width 64, layers 3
reference points 256, times 101
