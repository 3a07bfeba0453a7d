coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t + (u_x + 1e200*u)*(u + 1e200*u_x) = 0
initial u = sin(2*pi*x)
