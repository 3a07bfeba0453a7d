# Pure transport over many periods (the convection benchmark of Krishnapriyan et al., 2021).
coordinate x in [0, 6.283185307179586) periodic
coordinate t in [0, 1] time
field u
equation u: u_t + 30*u_x = 0
initial u = sin(x)
