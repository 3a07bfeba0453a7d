# café
field u
