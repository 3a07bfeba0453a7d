# A steady reaction: u'' + u^2 = -1 between walls.
coordinate x in [0, 1]
field u
equation u: u_xx + u^2 + 1 = 0
boundary u at x = 0: u = 0
boundary u at x = 1: u = 0
