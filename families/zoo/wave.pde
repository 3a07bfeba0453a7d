# A plucked string: second order in time, held at both ends.
coordinate x in [0, 1]
coordinate t in [0, 2] time
field u
equation u: u_tt = u_xx
initial u = sin(pi*x) + 0.3*sin(3*pi*x)
initial u_t = 0
boundary u at x = 0: u = 0
boundary u at x = 1: u = 0
