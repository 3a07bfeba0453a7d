# One coefficient from ten points at the end: the inverse example of DeepXDE, which starts at 2, too.
coordinate x in [-1, 1]
coordinate t in [0, 1] time
field u
coefficient C in [0.5, 8] log
equation u: u_t = C*u_xx - exp(-t)*(sin(pi*x) - pi^2*sin(pi*x))
initial u = sin(pi*x)
boundary u at x=-1: u = 0
boundary u at x=1: u = 0

