# Viscous Burgers equation, nu = 0.01: a front steepens and is carried by nothing but itself.
coordinate x in [-1, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t + u*u_x = 0.01*u_xx
initial u = -sin(pi*x)
