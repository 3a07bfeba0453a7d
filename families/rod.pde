# A rod between an ice bath and an insulated end, warmed in the middle.
# The transform meets the initial value and the cold end exactly; the insulated end is a soft condition.

coordinate x in [0, 1]
coordinate t in [0, 1] time
field u = sin(pi*x/2) + t*x*_

coefficient D in [0.01, 0.2] log
coefficient q in [0, 1] optional

equation u: u_t = D*u_xx + q*exp(-50*(x - 0.5)^2)

initial  u = sin(pi*x/2)
boundary u at x = 0: u = 0
boundary u at x = 1: u_x = 0 soft weight 1

structure cooling without q
structure heated

case cooling_rod cooling: D=0.05
case heated_rod  heated:  D=0.05 q=0.5

network   width 64, layers 3
adapt     steps 3000, boundary 64
reference points 64, times 101
