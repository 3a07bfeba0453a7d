coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.1, 1]
equation u: u_t = D*u_xx + sin(2*pi*x) + sin(3*pi*x) + sin(4*pi*x) + sin(5*pi*x) + sin(6*pi*x) + sin(7*pi*x) + sin(8*pi*x) + sin(9*pi*x) + sin(10*pi*x) + sin(11*pi*x) + sin(12*pi*x) + sin(13*pi*x) + sin(14*pi*x) + sin(15*pi*x) + sin(16*pi*x) + sin(17*pi*x) + sin(18*pi*x) + sin(19*pi*x) + sin(20*pi*x) + sin(21*pi*x) + sin(22*pi*x) + sin(23*pi*x) + sin(24*pi*x) + sin(25*pi*x) + sin(26*pi*x) + sin(27*pi*x) + sin(28*pi*x) + sin(29*pi*x) + sin(30*pi*x) + sin(31*pi*x) + sin(32*pi*x) + sin(33*pi*x) + sin(34*pi*x) + sin(35*pi*x) + sin(36*pi*x) + sin(37*pi*x) + sin(38*pi*x) + sin(39*pi*x) + kapa*u
initial u = sin(2*pi*x)
