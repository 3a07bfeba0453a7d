coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
let z = 0
let D = 1/z
equation u: u_t = D*u_xx
initial u = sin(2*pi*x)
