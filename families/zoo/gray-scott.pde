# Gray-Scott: a pulse feeds on the substrate around it.
coordinate x in [0, 2) periodic
coordinate t in [0, 100] time
field u, v
equation u: u_t = 2e-4*u_xx - u*v^2 + 0.04*(1-u)
equation v: v_t = 1e-4*v_xx + u*v^2 - 0.1*v
initial u = 1 - 0.5*exp(6*cos(pi*x) - 6)
initial v = 0.25*exp(6*cos(pi*x) - 6)
