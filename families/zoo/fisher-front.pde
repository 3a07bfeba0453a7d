# A Fisher-KPP front that runs into the empty half of the ring.
coordinate x in [0, 20) periodic
coordinate t in [0, 4] time
field u
equation u: u_t = 0.5*u_xx + u*(1-u)
initial u = exp(4*cos(2*pi*x/20) - 4)
