coordinate x in [0, 1]
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
equation u: u_t = D*u_xx
initial u = cos(2*pi*x)
boundary u at x = 0: u = 0 hard
boundary u at x = 1: u = 0
