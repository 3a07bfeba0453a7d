# Kuramoto-Sivashinsky before chaos sets in.
coordinate x in [0, 20) periodic
coordinate t in [0, 5] time
field u
equation u: u_t + u*u_x + u_xx + u_xxxx = 0
initial u = cos(2*pi*x/20)*(1 + sin(2*pi*x/20))
