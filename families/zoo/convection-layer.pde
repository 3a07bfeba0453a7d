# Steady convection and diffusion with a source: a layer of thickness 0.01 at the outflow.
coordinate x in [0, 1]
field u
equation u: -0.01*u_xx + u_x = 1
boundary u at x = 0: u = 0
boundary u at x = 1: u = 0
