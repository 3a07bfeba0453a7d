# A + 2B reacting while both diffuse: the inverse example of DeepXDE, which starts at D = 0.001 and k = 0.05, too.
coordinate x in [0, 1]
coordinate t in [0, 10] time
field ca, cb
coefficient D in [0.0001, 0.01] log
coefficient k in [0.005, 0.5] log
equation ca: ca_t = D*ca_xx - k*ca*cb^2
equation cb: cb_t = D*cb_xx - 2*k*ca*cb^2
initial ca = exp(-20*x)
initial cb = exp(-20*x)
boundary ca at x=0: ca = 1
boundary ca at x=1: ca = 0
boundary cb at x=0: cb = 1
boundary cb at x=1: cb = 0
