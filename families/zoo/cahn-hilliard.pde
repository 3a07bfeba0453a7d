# Cahn-Hilliard: phases separate, fourth order in space.
coordinate x in [0, 6.283185307179586) periodic
coordinate t in [0, 2] time
field u
equation u: u_t = d(u^3 - u, x, x) - 0.1*u_xxxx
initial u = 0.3*cos(x) + 0.1*sin(2*x)
