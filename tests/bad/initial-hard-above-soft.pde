coordinate t in [0, 1] time
field u
equation u: u_ttt + u = 0
initial u = 1
initial u_t = 0 soft
initial u_tt = 5
