# The wave equation as two equations of first order, on a ring.
coordinate x in [0, 1) periodic
coordinate t in [0, 2] time
field u, v
equation u: u_t = v_x
equation v: v_t = u_x
initial u = exp(2*cos(2*pi*x) - 2)
initial v = 0
