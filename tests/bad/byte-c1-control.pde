# ab
