# Van der Pol oscillator, mu = 2.
coordinate t in [0, 10] time
field x, v
equation x: x_t = v
equation v: v_t = 2*(1 - x^2)*v - x
initial x = 2
initial v = 0
