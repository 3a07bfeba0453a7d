coordinate x in [0, 1]
coordinate t in [0, 1] time
field u = sin(2*pi*x) + t*_
coefficient D in [0.1, 1]
equation u: u_t = D*u_xx
initial u = sin(2*pi*x)
boundary u at x = 0: u_x = 0
boundary u at x = 1: u = 0 soft
