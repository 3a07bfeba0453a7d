# Updates to a common error: the lower-reaction split with large batches, ten cases on structures that
# meta-training has seen (values of our choice) and the six on those it has not.
include "cdr-lower.pde"

case C_2.5       convection: a=2.5
case C_3.5       convection: a=3.5
case D_3e-3      heat:       D=3e-3
case D_3e-2      heat:       D=3e-2
case R_1.5       reaction:   r=1.5
case R_3.5       reaction:   r=3.5
case CD_2.5_1e-2 conv_diff:  a=2.5 D=1e-2
case CD_3.5_3e-2 conv_diff:  a=3.5 D=3e-2
case DR_1e-2_2   fisher:     D=1e-2 r=2
case DR_3e-3_3.5 fisher:     D=3e-3 r=3.5

override train points 25000, initial 1000, periodic 1000
override adapt points 25000, initial 1000, periodic 1000
