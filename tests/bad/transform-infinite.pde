coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u = t*log(-1 - x^2)*_
coefficient D in [0.1, 1]
equation u: u_t = D*u_xx
initial u = 0 soft
