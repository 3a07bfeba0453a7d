# A stiff relaxation towards a slow oscillation (Prothero and Robinson, 1974).
coordinate t in [0, 5] time
field u
equation u: u_t = -100*(u - cos(t))
initial u = 0
