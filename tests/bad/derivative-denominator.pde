coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
coefficient a in [0.1, 1]
equation u: u_t = D*u_xx + u/(d(x^2, x) + a)
initial u = sin(2*pi*x)
