# Korteweg-de Vries: a smooth wave breaks into solitons. Third derivatives.

coordinate x in [-1, 1) periodic
coordinate t in [0, 0.5] time
field u

coefficient mu in [0.002, 0.02] log

equation u: u_t + u*u_x + mu*u_xxx = 0
initial u = cos(pi*x)

case wide:   mu=0.01
case narrow: mu=0.003

network   width 96, layers 3, fourier x 1..6
reference points 256, times 101
