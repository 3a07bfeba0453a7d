coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = (1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 2*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 3*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 4*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 5*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 6*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 7*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 8*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 9*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 10*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 11*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 12*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 13*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 14*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 15*(1+x+u+u_x+u_t+u_xx+u_xt)^5
  + 16*(1+x+u+u_x+u_t+u_xx+u_xt)^5
initial u = sin(2*pi*x)
