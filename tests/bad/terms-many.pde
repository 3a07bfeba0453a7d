coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u, v, w
equation u: u_t = (1 + u + v + w + u_x)^7 + u
equation v: v_t = v
equation w: w_t = w
initial u = 1
initial v = 1
initial w = 1
