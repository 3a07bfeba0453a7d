# SPDX-License-Identifier: Apache-2.0
"""Families for tests: one so small that training and solving it takes a moment, one that is long only as it is kept."""

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


def long_family(fields, cases=0):
    """A short text that becomes a long one: 23 long names before a sum of 100, times u + u^2, in every equation."""
    names, sums = [f"p{i}_{'x' * 51}" for i in range(23)], [f"m{i}" for i in range(100)]
    lines = ["coordinate x in [0, 1) periodic", "coordinate t in [0, 1] time",
             "field " + ", ".join(f"u{f}" for f in range(fields))]
    lines += [f"coefficient {name} in [0.5, 1]" for name in names + sums]
    for f in range(fields):
        lines += [f"equation u{f}: u{f}_t = {'*'.join(names)}*({' + '.join(sums)})*(u{f} + u{f}^2)",
                  f"initial u{f} = sin(2*pi*x)"]
    lines += [f"case c{i}: " + " ".join(f"{name}=1" for name in names + sums) for i in range(cases)]
    return "\n".join([*lines, "network width 8, layers 1", "train steps 1, points 8", ""])
