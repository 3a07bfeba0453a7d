# Nothing happens until a heater is switched on.
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = 0.05*u_xx + (1 + cos(2*pi*x))*exp(-200*(t - 0.5)^2)
initial u = 0
