coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
let D = 2*q
let q = 3
equation u: u_t = D*u_xx
initial u = sin(2*pi*x)
