coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
equation u: u_t = D*u_xx + (1+x+x^2+x^3+u+u_x+u_t+u_xx+u_xt+u_tt)^8
initial u = sin(2*pi*x)
