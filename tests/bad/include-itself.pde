include "include-itself.pde"
