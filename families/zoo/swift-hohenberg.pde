# Swift and Hohenberg (1977): a pattern grows from three waves.
coordinate x in [0, 20) periodic
coordinate t in [0, 10] time
field u
equation u: u_t = 0.3*u - u - 2*u_xx - u_xxxx + u^2 - u^3
initial u = 0.3*cos(2*pi*x/20*3) + 0.1*sin(2*pi*x/20*2)
