# SPDX-License-Identifier: Apache-2.0
"""The two adaptation steps of the paper, for every framework: networks as numpy arrays, losses from derivatives.

A loss is written once, over a library `np` that has sin, cos and concatenate (jax.numpy, torch): frameworks differ in how
they come by the derivatives of the raw network. Parameters are a flat list of arrays, in the order of `network`.
"""
import math

import numpy

PI2 = 2 * math.pi
LAYERS = 3


def network(fields, features, width, seed=1):
    """Input layer per field, three layers tanh(C diag(s) R h) with shared bases, output layer per field."""
    stream = numpy.random.default_rng(seed)

    def linear(inputs, outputs):
        bound = 1 / math.sqrt(inputs)
        return [stream.uniform(-bound, bound, (outputs, inputs)), stream.uniform(-bound, bound, outputs)]

    parameters = []
    for _ in range(fields):
        parameters += linear(features, width) + linear(width, 1)
    for _ in range(2 * LAYERS):
        parameters.append(numpy.linalg.qr(stream.standard_normal((width, width)))[0])
    return [p.astype(numpy.float32) for p in [*parameters, numpy.ones((fields, LAYERS, width))]]


def layers_of(parameters, field, fields):
    """The field's weights W and biases (or None), first to last."""
    first, first_bias, last, last_bias = parameters[4 * field:4 * field + 4]
    bases, codes = parameters[4 * fields:-1], parameters[-1]
    formed = [((bases[2 * l] * codes[field, l]) @ bases[2 * l + 1], None) for l in range(LAYERS)]
    return [(first, first_bias), *formed, (last, last_bias)]


def mean_square(values):
    return (values * values).mean()


# ---- Fisher-KPP, two fields, case H1: initial values built in, periodic features ------------------------------

FISHER = {"fields": 2, "features": 9, "width": 96, "points": 1024, "name": "fisher_step"}
H1 = {"eps_u": 0.017, "a_u": 0.40, "rho_u": 1.55, "k_uv": 0.38, "eps_v": 0.009, "a_v": 0.70, "rho_v": 0.85, "k_vu": 0.22}


def fisher_features(np, x, t):
    """[points][9], and their first and second derivative in x and first in t."""
    waves = [PI2 * k for k in range(1, 5)]
    value = [f(k * x) for k in waves for f in (np.sin, np.cos)] + [t]
    slope = [g for k in waves for g in (k * np.cos(k * x), -k * np.sin(k * x))] + [0 * t]
    curve = [g for k in waves for g in (-k * k * np.sin(k * x), -k * k * np.cos(k * x))] + [0 * t]
    time = [0 * x for _ in range(8)] + [1 + 0 * t]
    return [np.concatenate(part, 1) for part in (value, slope, time, curve)]


def fisher_initial(np, field, x):
    """Value, slope and curvature."""
    if field == 0:
        return (0.35 + 0.20 * np.sin(PI2 * x) + 0.08 * np.cos(2 * PI2 * x + 0.3),
                PI2 * 0.20 * np.cos(PI2 * x) - 2 * PI2 * 0.08 * np.sin(2 * PI2 * x + 0.3),
                -PI2**2 * 0.20 * np.sin(PI2 * x) - 4 * PI2**2 * 0.08 * np.cos(2 * PI2 * x + 0.3))
    return (0.30 + 0.18 * np.cos(PI2 * x + 0.4) - 0.06 * np.sin(3 * PI2 * x),
            -PI2 * 0.18 * np.sin(PI2 * x + 0.4) - 3 * PI2 * 0.06 * np.cos(3 * PI2 * x),
            -PI2**2 * 0.18 * np.cos(PI2 * x + 0.4) + 9 * PI2**2 * 0.06 * np.sin(3 * PI2 * x))


def fisher_loss(u, v, c=H1):
    """u, v: value, d/dx, d/dt, d2/dx2."""
    r_u = u[2] - c["eps_u"] * u[3] + c["a_u"] * u[1] - c["rho_u"] * u[0] * (1 - u[0]) - c["k_uv"] * v[0]
    r_v = v[2] - c["eps_v"] * v[3] + c["a_v"] * v[1] - c["rho_v"] * v[0] * (1 - v[0]) - c["k_vu"] * u[0]
    return 0.5 * (mean_square(r_u) + mean_square(r_v))


# ---- Convection-diffusion-reaction: initial values and periodicity by penalties -------------------------------

CDR = {"fields": 1, "features": 2, "width": 256, "points": 512, "conditions": 128, "name": "cdr_step"}


def cdr_initial(np, x):
    return 0.5 + 0.20 * np.sin(PI2 * x) + 0.10 * np.sin(2 * PI2 * x + 0.7) + 0.05 * np.cos(3 * PI2 * x)


def cdr_loss(u, start, ends):
    """u: value, d/dx, d/dt, d2/dx2; start: what is missing at t = 0; ends: the jump from x = 0 to 1."""
    r = u[2] + 9.5 * u[1] - 0.01 * u[3] - 9.5 * u[0] * (1 - u[0])
    return mean_square(r) + mean_square(start) + mean_square(ends)


# ---- The channels of ansatz in another framework: value, d/dx, d/dt, d2/dx2 side by side -----------------------


def raw(np, layers, features):
    h = features
    for i, (weight, bias) in enumerate(layers):
        h = h @ weight.T if bias is None else h @ weight.T + bias
        h = np.tanh(h) if i + 1 < len(layers) else h
    return h


def raw_channels(np, layers, channels):
    """One product per layer for all four channels."""
    points = channels[0].shape[0]
    for i, (weight, bias) in enumerate(layers):
        z = np.concatenate(channels, 0) @ weight.T
        h, h_x, h_t, h_xx = (z[k * points:(k + 1) * points] for k in range(4))
        h = h if bias is None else h + bias
        if i + 1 < len(layers):
            h = np.tanh(h)
            d = 1 - h * h
            h_xx = d * (h_xx - 2 * h * h_x * h_x)
            h_x, h_t = d * h_x, d * h_t
        channels = [h, h_x, h_t, h_xx]
    return channels


def fisher_channels(np, parameters, x, t):
    features = fisher_features(np, x, t)
    fields = []
    for f in range(2):
        n, n_x, n_t, n_xx = raw_channels(np, layers_of(parameters, f, 2), features)
        u, u_x, u_xx = fisher_initial(np, f, x)
        fields.append((u + t * n, u_x + t * n_x, n + t * n_t, u_xx + t * n_xx))
    return fisher_loss(*fields)


def cdr_channels(np, parameters, x, t, x0, t1):
    layers = layers_of(parameters, 0, 1)
    one, zero = 1 + 0 * x, 0 * x
    features = [np.concatenate(pair, 1) for pair in ((x, t), (one, zero), (zero, one), (zero, zero))]
    u = raw_channels(np, layers, features)

    def field(a, b):
        return raw(np, layers, np.concatenate((a, b), 1))

    return cdr_loss(u, field(x0, 0 * x0) - cdr_initial(np, x0), field(0 * t1, t1) - field(1 + 0 * t1, t1))


# ---- Nested gradients, where a framework has them as functions: calculus.grad and calculus.vmap ----------------


def derivatives(calculus, function, x, t):
    """Value, d/dx, d/dt, d2/dx2 of a function of two numbers at many points."""
    slope = calculus.grad(function, 0)
    parts = (function, slope, calculus.grad(function, 1), calculus.grad(slope, 0))
    return [calculus.vmap(part)(x[:, 0], t[:, 0]) for part in parts]


def fisher_nested(np, calculus, parameters, x, t):
    def field(f):
        layers = layers_of(parameters, f, 2)

        def u(x, t):
            features = np.stack([*(g(PI2 * k * x) for k in range(1, 5) for g in (np.sin, np.cos)), t])
            return fisher_initial(np, f, x)[0] + t * raw(np, layers, features)[0]

        return derivatives(calculus, u, x, t)

    return fisher_loss(field(0), field(1))


def cdr_nested(np, calculus, parameters, x, t, x0, t1):
    layers = layers_of(parameters, 0, 1)

    def field(a, b):
        return raw(np, layers, np.concatenate((a, b), 1))

    u = derivatives(calculus, lambda a, b: raw(np, layers, np.stack((a, b)))[0], x, t)
    return cdr_loss(u, field(x0, 0 * x0) - cdr_initial(np, x0), field(0 * t1, t1) - field(1 + 0 * t1, t1))
