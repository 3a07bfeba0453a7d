coordinate x in [0, 1]
coordinate t in [0, 1] time
field u = 1e-10*(1 + _)
equation u: u_t = 0
boundary u at x = 0: u = 0
initial u = 0 soft
