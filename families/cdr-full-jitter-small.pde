# The whole coefficient box from the first step, with the batches of the main comparison.
include "cdr.pde"

override sampler jitter
