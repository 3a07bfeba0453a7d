# Lorenz (1963), before chaos forgets the start: errors grow about fifteenfold until t = 3.
coordinate t in [0, 3] time
field x, y, z
equation x: x_t = 10*(y - x)
equation y: y_t = x*(28 - z) - y
equation z: z_t = x*y - 8/3*z
initial x = 1
initial y = 1
initial z = 20
