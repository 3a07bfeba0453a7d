# The coefficient-interpolation study: seven structures, large batches, twelve high-reaction cases.
# This file has the scheduled jitter; cdr-full-jitter and cdr-grid-only change the sampler alone.
include "cdr.pde"

case R_8.5  reaction: r=8.5
case R_9.5  reaction: r=9.5
case DR_8.5 fisher:   D=1e-2 r=8.5
case DR_9.5 fisher:   D=1e-2 r=9.5

override train points 20000, initial 1000, periodic 1000
override adapt points 20000, initial 1000, periodic 1000
