# The Burgers benchmark of Raissi et al. (2019): nu = 0.01/pi between walls, a shock of width 0.01.
coordinate x in [-1, 1]
coordinate t in [0, 1] time
field u
equation u: u_t + u*u_x = 0.01/pi*u_xx
initial u = -sin(pi*x)
boundary u at x = -1: u = 0
boundary u at x = 1: u = 0
