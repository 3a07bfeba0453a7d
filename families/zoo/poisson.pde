# Poisson's equation in one dimension, no time.
coordinate x in [0, 1]
field u
equation u: u_xx = -39.47841760435743*sin(2*pi*x)
boundary u at x = 0: u = 0
boundary u at x = 1: u = 0
