coordinate x in [0, 1) periodic
field u
coefficient D in [0.1, 1]
equation u: D*u_xx = u
initial u = sin(2*pi*x)
