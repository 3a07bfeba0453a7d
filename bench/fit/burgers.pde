# Burgers with both coefficients unknown, as Raissi and others (2019) pose it.
coordinate x in [-1, 1]
coordinate t in [0, 0.99] time
field u
coefficient l1 in [0.5, 2]
coefficient l2 in [0.001, 0.05] log
equation u: u_t + l1*u*u_x = l2*u_xx
initial u = -sin(pi*x)
boundary u at x=-1: u = 0
boundary u at x=1: u = 0

