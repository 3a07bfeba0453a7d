coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
let q = 2
coefficient D in [q, 3]
equation u: u_t = D*u_xx
initial u = sin(2*pi*x)
