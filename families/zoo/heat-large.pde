# The same bar in other units: 100 long, watched for 10000, at temperatures of 300 +- 50.
coordinate x in [0, 100]
coordinate t in [0, 10000] time
field T
equation T: T_t = 0.1*T_xx
initial T = 300 + 50*sin(pi*x/100)
boundary T at x = 0: T = 300
boundary T at x = 100: T = 300
