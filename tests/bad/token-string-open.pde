include "cdr.pde
