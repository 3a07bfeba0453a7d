coordinate x in [0, 1]
coordinate t in [0, 1] time
field u
equation u: u_t = u_xx
initial u = 1
boundary u at x = 0: u_xxxxx = 0 soft
