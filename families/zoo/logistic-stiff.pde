# A fast logistic reaction with diffusion (the reaction benchmark of Krishnapriyan et al., 2021).
coordinate x in [0, 6.283185307179586) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = 0.5*u_xx + 5*u*(1-u)
initial u = exp(-8*(1 - cos(x - pi)))
