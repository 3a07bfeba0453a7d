# FitzHugh-Nagumo: an excitation runs around the ring.
coordinate x in [0, 50) periodic
coordinate t in [0, 20] time
field u, w
equation u: u_t = u_xx + u*(u - 0.1)*(1 - u) - w
equation w: w_t = 0.01*u - 0.005*w
initial u = exp(6*cos(2*pi*(x - 25)/50) - 6)
initial w = 0
