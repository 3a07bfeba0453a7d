# The same wave, with a drift in two parts that no data can tell apart.
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u

coefficient D in [0.002, 0.05] log
coefficient c, e in [0, 1]
parameter   a in [0.5, 2]

equation u: u_t + (c + e)*u_x = D*u_xx
initial u = a*sin(2*pi*x)

network width 32, layers 2
reference points 64, times 51
