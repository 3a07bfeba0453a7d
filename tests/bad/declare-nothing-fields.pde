coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
