# The whole coefficient box from the first step.
include "cdr-samplers.pde"

override sampler jitter
