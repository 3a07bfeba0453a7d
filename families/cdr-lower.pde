# The five-to-two split at lower reaction rates: continuous ranges instead of a grid.
# The paper says that there are six cases on the held structures; these values are our choice.
include "cdr-five-two.pde"

override coefficient a in [2, 4]       optional
override coefficient D in [1e-3, 1e-1] log optional
override coefficient r in [1, 4]       optional

drop cases
case AR_2.5_3.5  ar:  a=2.5 r=3.5
case AR_3_2      ar:  a=3   r=2
case AR_3.5_2.5  ar:  a=3.5 r=2.5
case ADR_2.5_3.5 adr: a=2.5 D=1e-2 r=3.5
case ADR_3_2     adr: a=3   D=1e-2 r=2
case ADR_3.5_2.5 adr: a=3.5 D=1e-2 r=2.5

override sampler uniform
override train   steps 20000
override adapt   steps 5000
