coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
coefficient k in [0.5, 1] optional
let r = 1/k
equation u: u_t = D*u_xx - exp(-r)*u_x
initial u = sin(2*pi*x)
structure whole
structure s without k
