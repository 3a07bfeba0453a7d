include "token-product.pde"
