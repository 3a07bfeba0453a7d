coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
equation u: u_tt = D*u_xx
initial u = 0
initial u_t unknown
