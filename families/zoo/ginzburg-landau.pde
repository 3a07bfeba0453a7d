# Complex Ginzburg-Landau A_t = A + (1 + 2i) A_xx - (1 + i) |A|^2 A, A = p + i q.
coordinate x in [0, 20) periodic
coordinate t in [0, 5] time
field p, q
equation p: p_t = p + p_xx - 2*q_xx - (p^2 + q^2)*(p - q)
equation q: q_t = q + q_xx + 2*p_xx - (p^2 + q^2)*(q + p)
initial p = 0.5*cos(2*pi*x/20) + 0.2
initial q = 0.3*sin(2*pi*x/20)
