# Two Fisher-KPP fields with switchable coupling: waves that grow, drift and feed each other.

coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u, v

coefficient eps_u in [0.005, 0.02] log     # diffusion
coefficient a_u   in [0.2, 0.8]            # drift
coefficient rho_u in [0.8, 1.6]            # growth
coefficient k_uv  in [0.1, 0.4] optional   # v feeds u
coefficient eps_v in [0.005, 0.02] log
coefficient a_v   in [0.2, 0.8]
coefficient rho_v in [0.8, 1.6]
coefficient k_vu  in [0.1, 0.4] optional   # u feeds v

equation u: u_t - eps_u*u_xx + a_u*u_x - rho_u*u*(1-u) - k_uv*v = 0
equation v: v_t - eps_v*v_xx + a_v*v_x - rho_v*v*(1-v) - k_vu*u = 0

initial u = 0.35 + 0.20*sin(2*pi*x) + 0.08*cos(4*pi*x + 0.3)
initial v = 0.30 + 0.18*cos(2*pi*x + 0.4) - 0.06*sin(6*pi*x)

# Meta-training sees these three ...
structure uncoupled without k_uv, k_vu
structure v_to_u    without k_vu
structure u_to_v    without k_uv
# ... and never this one.
held two_way

case H1 two_way: eps_u=.008 a_u=.25 rho_u=.90  k_uv=.15 eps_v=.018 a_v=.65 rho_v=1.50 k_vu=.35
case H2 two_way: eps_u=.015 a_u=.55 rho_u=1.40 k_uv=.32 eps_v=.006 a_v=.30 rho_v=1.00 k_vu=.18
case H3 two_way: eps_u=.010 a_u=.75 rho_u=1.20 k_uv=.25 eps_v=.012 a_v=.45 rho_v=1.30 k_vu=.40
case H4 two_way: eps_u=.017 a_u=.40 rho_u=1.55 k_uv=.38 eps_v=.009 a_v=.70 rho_v=.85  k_vu=.22

network   width 96, layers 3, activation tanh, fourier x 1..4, codes relu
sampler   uniform, draws shared
train     steps 3000, rate 5e-4, points 1024, clip 10
adapt     steps 3000, rate 2e-4, points 1024, clip 10, evaluate 100
reference points 256, times 101, relative 1e-9, absolute 1e-11, max_step 0.02
descriptor graph compact, style shared, rounds 2, scale standardised
