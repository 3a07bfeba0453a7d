# Advection and diffusion of a tracer let out by a source that travels around the ring.
coordinate x in [0, 1) periodic
coordinate t in [0, 2] time
field c
equation c: c_t + 0.3*c_x = 0.02*c_xx + exp(3*cos(2*pi*(x - 0.5*t)) - 3)
initial c = 0
