# Heat in a bar whose ends are held at zero; the exact solution is sin(pi*x)*exp(-pi^2*D*t).
coordinate x in [0, 1]
coordinate t in [0, 1] time
field u
equation u: u_t = 0.1*u_xx
initial u = sin(pi*x)
boundary u at x = 0: u = 0
boundary u at x = 1: u = 0
