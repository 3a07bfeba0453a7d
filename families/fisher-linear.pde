# Fisher-KPP with the graph's nodes embedded by a linear map, without an activation.
include "fisher.pde"

override descriptor style linear
