# Predator and prey, no space: more than one turn of the cycle.
coordinate t in [0, 10] time
field x, y
equation x: x_t = 1.1*x - 0.4*x*y
equation y: y_t = 0.1*x*y - 0.4*y
initial x = 10
initial y = 5
