field u
