# The nodes of the coefficient grid and nothing between them, with the batches of the main comparison.
include "cdr.pde"

override sampler grid
