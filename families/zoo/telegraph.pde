# Telegraph equation: a wave that is damped.
coordinate x in [0, 1) periodic
coordinate t in [0, 2] time
field u
equation u: u_tt + 2*u_t = u_xx
initial u = sin(2*pi*x)
initial u_t = 0
