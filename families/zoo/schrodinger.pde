# Nonlinear Schroedinger equation i h_t + h_xx/2 + |h|^2 h = 0, h = p + i q, a breathing soliton.
coordinate x in [-5, 5) periodic
coordinate t in [0, 0.7853981633974483] time
field p, q
equation p: p_t + 0.5*q_xx + (p^2 + q^2)*q = 0
equation q: q_t - 0.5*p_xx - (p^2 + q^2)*p = 0
initial p = 2/cosh(x)
initial q = 0
