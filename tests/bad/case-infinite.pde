coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient a in [-1, 3]
equation u: u_t = u_xx/a
initial u = sin(2*pi*x)
case A: a=0
