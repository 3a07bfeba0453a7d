# A rod that is insulated at one end and warmed at the other.
coordinate x in [0, 2]
coordinate t in [0, 3] time
field u
equation u: u_t = 0.2*u_xx
initial u = 1 + cos(pi*x/2)
boundary u at x = 0: u_x = 0
boundary u at x = 2: u = 0.5*t
