# A capacitively coupled plasma: density N and potential Phi over one radio-frequency period.
# Lengths in units of the gap L, times of the period T, potentials of V0, densities of n_io.

coordinate xi  in [0, 1]
coordinate tau in [0, 1) periodic time
field N   = xi*(1-xi)*exp(_)
field Phi = xi*sin(2*pi*tau) + xi*(1-xi)*_

# What varies: applied voltage [V] and source rate [1/(m^3 s)].
parameter V0 in [130, 270]
parameter R0 in [1e20, 5e20] log

# Physical constants (SI) and the discharge.
let e    = 1.602176634e-19
let m_e  = 9.1093837015e-31
let eps0 = 8.8541878128e-12
let amu  = 1.66053906660e-27
let L    = 0.025
let T    = 1/13.56e6
let T_e  = 3.0
let nu_m = 1e8
let m_i  = 40*amu
let mu   = e/(m_e*nu_m)
let Dif  = mu*T_e
let c_s  = sqrt(e*T_e/m_i)
let n_io = R0*0.2*L/c_s

let a_D  = Dif*T/L^2
let a_mu = mu*V0*T/L^2
let beta = e*n_io*L^2/(eps0*V0)
let S0   = R0*T/n_io

equation N   weight 0.003: N_tau - a_D*N_xixi + a_mu*d(N*d(Phi, xi), xi)
                           - S0*(inside(xi, 0.2, 0.4) + inside(xi, 0.6, 0.8)) = 0
equation Phi weight 0.997: Phi_xixi - beta*(N - 1) = 0

boundary N   at xi = 0: N = 0
boundary N   at xi = 1: N = 0
boundary Phi at xi = 0: Phi = 0
boundary Phi at xi = 1: Phi = sin(2*pi*tau)

structure plasma
case R2.0 plasma: V0=200 R0=2e20
case R3.5 plasma: V0=200 R0=3.5e20

network   width 96, layers 3, activation tanh, fourier tau 1..1, codes free, input shared
sampler   centre from 750 to 2250
train     steps 3000, rate 2.5e-4, points 1024, clip 0, orthogonality 1e-4
adapt     steps 3000, rate 2.5e-4, points 1024, clip 0, evaluate 100
reference drift_diffusion, points 200, times 200, steps_per_period 2000, periods 40, sweeps 3
descriptor graph union, style plain, rounds 2, vector a_D a_mu beta S0, scale log, slots 17, set grouped
