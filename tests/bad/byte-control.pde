field u[31m
