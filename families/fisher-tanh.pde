# Fisher-KPP with the coefficient vector read by three layers with tanh, as in the published code of Hyper-LR-PINN.
include "fisher.pde"

override descriptor encoder tanh
