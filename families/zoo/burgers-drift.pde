# Viscous Burgers around a mean of 2: the front steepens while it goes around the ring twice.
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t + u*u_x = 0.01*u_xx
initial u = 2 + 0.4*sin(2*pi*x)
