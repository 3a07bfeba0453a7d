# Allen-Cahn with thin interfaces: the benchmark of Raissi et al. (2019) with D = 1e-4.
coordinate x in [-1, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = 1e-4*u_xx + 5*u - 5*u^3
initial u = x^2*cos(pi*x)
