# Korteweg-de Vries, the benchmark of Zabusky and Kruskal (1965) up to t = 1.
coordinate x in [-1, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t + u*u_x + 0.000484*u_xxx = 0
initial u = cos(pi*x)
