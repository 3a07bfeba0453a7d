# Sine-like Klein-Gordon equation u_tt = u_xx - u + u^3/6.
coordinate x in [0, 10) periodic
coordinate t in [0, 5] time
field u
equation u: u_tt = u_xx - u + u^3/6
initial u = cos(2*pi*x/10)
initial u_t = 0
