# Fisher's equation with a drift; nobody knows how it began.
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient eps in [0.005, 0.02] log
coefficient a in [0.2, 0.8]
coefficient rho in [0.8, 1.6]
equation u: u_t - eps*u_xx + a*u_x - rho*u*(1-u) = 0
initial u unknown
