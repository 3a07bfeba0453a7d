# A hinged beam u_tt = -c u_xxxx as a system: v is its velocity.
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u, v
equation u: u_t = v
equation v: v_t = -0.01*u_xxxx
initial u = sin(2*pi*x)
initial v = 0.2*cos(2*pi*x)
