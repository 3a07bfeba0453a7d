coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u.v
equation u: u_t = u_xx
initial u = sin(2*pi*x)
