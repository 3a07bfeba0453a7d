# Brusselator with diffusion, a = 1, b = 1.7.
coordinate x in [0, 1) periodic
coordinate t in [0, 5] time
field u, v
equation u: u_t = 0.02*u_xx + 1 + u^2*v - 2.7*u
equation v: v_t = 0.02*v_xx + 1.7*u - u^2*v
initial u = 1 + 0.5*sin(2*pi*x)
initial v = 1.7
