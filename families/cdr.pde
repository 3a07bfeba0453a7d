# Convection, diffusion and logistic reaction of one field, in every combination.
# The paper's high-reaction protocol with all seven structures in meta-training.

coordinate x in [0, 1) periodic soft weight 1
coordinate t in [0, 1] time
field u

coefficient a in [2, 12]      optional grid 5
coefficient D in [1e-3, 1e-1] log optional grid 5
coefficient r in [1, 10]      optional grid 5

equation u: u_t + a*u_x - D*u_xx - r*u*(1-u) = 0

initial u = 0.5 + 0.20*sin(2*pi*x) + 0.10*sin(4*pi*x + 0.7) + 0.05*cos(6*pi*x) soft weight 1

structure convection without D, r
structure heat       without a, r
structure reaction   without a, D
structure conv_diff  without r
structure fisher     without a
structure ar         without D
structure adr

case AR_4.5_8.5  ar:  a=4.5 r=8.5
case AR_4.5_9.5  ar:  a=4.5 r=9.5
case AR_9.5_8.5  ar:  a=9.5 r=8.5
case AR_9.5_9.5  ar:  a=9.5 r=9.5
case ADR_4.5_8.5 adr: a=4.5 D=1e-2 r=8.5
case ADR_4.5_9.5 adr: a=4.5 D=1e-2 r=9.5
case ADR_9.5_8.5 adr: a=9.5 D=1e-2 r=8.5
case ADR_9.5_9.5 adr: a=9.5 D=1e-2 r=9.5

network   width 256, layers 3, activation tanh, codes free
sampler   jitter from 8000 to 24000, draws independent
train     steps 30000, rate 2.5e-4, points 512, initial 128, periodic 128, clip 0, orthogonality 1e-4
adapt     steps 3000,  rate 2.5e-4, points 512, initial 128, periodic 128, clip 0, evaluate 200
reference points 256, times 101, relative 1e-8, absolute 1e-10
descriptor graph union, style stacked, rounds 2, vector a D r, scale standardised
