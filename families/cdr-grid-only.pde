# The nodes of the coefficient grid and nothing between them.
include "cdr-samplers.pde"

override sampler grid
