coordinate x in [0, 1) periodic
coordinate y in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = u_xx + u_yy
initial u = sin(2*pi*x)
network fourier 1..4
