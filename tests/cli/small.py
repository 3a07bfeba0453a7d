# SPDX-License-Identifier: Apache-2.0
"""A family so small that training and solving it takes a moment."""

SMALL = """
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient a in [0.5, 1]
coefficient D in [0.01, 0.1] log optional
equation u: u_t + a*u_x - D*u_xx = 0
initial u = sin(2*pi*x)
structure moving without D
held both
case one both: a=0.7 D=0.05
network width 16, layers 2, activation tanh, fourier x 1..2, codes relu
sampler uniform, draws shared
train steps 60, rate 1e-3, points 64, clip 10
adapt steps 60, rate 1e-3, points 64, clip 10
reference points 32, times 11
descriptor graph compact, style shared, rounds 2
"""
