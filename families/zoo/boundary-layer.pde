# Convection against diffusion: a steady boundary layer of thickness 0.02.
coordinate x in [0, 1]
field u
equation u: u_x = 0.02*u_xx
boundary u at x = 0: u = 0
boundary u at x = 1: u = 1
