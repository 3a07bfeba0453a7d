# Meta-training never pairs advection with reaction; both held structures do.
include "cdr.pde"

override held ar  without D
override held adr
