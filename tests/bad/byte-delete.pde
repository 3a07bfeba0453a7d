field u
