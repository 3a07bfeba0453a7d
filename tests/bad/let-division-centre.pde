coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient a in [-1, 1]
let D = 1/a
equation u: u_t = D*u_xx
initial u = sin(2*pi*x)
