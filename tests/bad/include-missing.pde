include "not-there.pde"
