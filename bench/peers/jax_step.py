# SPDX-License-Identifier: Apache-2.0
"""The steps in JAX, compiled: derivatives by nested gradients, or by the channels of ansatz."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as np

import equations as eq

NAME = f"JAX {jax.__version__}"


def derivatives(function, x, t):
    """Value, d/dx, d/dt, d2/dx2 of a function of two numbers at many points."""
    slope = jax.grad(function, 0)
    parts = (function, slope, jax.grad(function, 1), jax.grad(slope, 0))
    return [jax.vmap(part)(x[:, 0], t[:, 0]) for part in parts]


def fisher_nested(parameters, x, t):
    def field(f):
        layers = eq.layers_of(parameters, f, 2)

        def u(x, t):
            features = np.concatenate([*(g(eq.PI2 * k * x)[None] for k in range(1, 5) for g in (np.sin, np.cos)), t[None]])
            return eq.fisher_initial(np, f, x)[0] + t * eq.raw(np, layers, features)[0]

        return derivatives(u, x, t)

    return eq.fisher_loss(field(0), field(1))


def cdr_nested(parameters, x, t, x0, t1):
    layers = eq.layers_of(parameters, 0, 1)

    def field(a, b):
        return eq.raw(np, layers, np.concatenate((a, b), 1))

    u = derivatives(lambda a, b: eq.raw(np, layers, np.stack((a, b)))[0], x, t)
    return eq.cdr_loss(u, field(x0, 0 * x0) - eq.cdr_initial(np, x0), field(0 * t1, t1) - field(1 + 0 * t1, t1))


LOSSES = {
    "jit, nested grad": {"fisher_step": fisher_nested, "cdr_step": cdr_nested},
    "jit, channels": {"fisher_step": lambda *a: eq.fisher_channels(np, *a), "cdr_step": lambda *a: eq.cdr_channels(np, *a)},
}


def loss_and_gradient(loss, parameters, points):
    value, gradient = jax.jit(jax.value_and_grad(loss))([np.asarray(p) for p in parameters], *map(np.asarray, points))
    return float(value), [numpy_of(g) for g in gradient]


def numpy_of(array):
    import numpy

    return numpy.asarray(array)


def stepper(loss, parameters):
    """A function that does one step at these points: gradient, clip, Adam."""
    state = {"p": [np.asarray(p) for p in parameters], "m": [np.zeros(p.shape) for p in parameters],
             "v": [np.zeros(p.shape) for p in parameters], "n": 0}

    @jax.jit
    def update(p, m, v, n, *points):
        gradient = jax.grad(loss)(p, *points)
        norm = np.sqrt(sum((g * g).sum() for g in gradient))
        gradient = [g * np.minimum(1, 10 / norm) for g in gradient]
        m = [0.9 * a + 0.1 * g for a, g in zip(m, gradient)]
        v = [0.999 * a + 0.001 * g * g for a, g in zip(v, gradient)]
        p = [a - 1e-5 * (b / (1 - 0.9**n)) / (np.sqrt(c / (1 - 0.999**n)) + 1e-8) for a, b, c in zip(p, m, v)]
        return p, m, v

    def step(points):
        state["n"] += 1
        state["p"], state["m"], state["v"] = update(state["p"], state["m"], state["v"], float(state["n"]), *points)
        state["p"][0].block_until_ready()

    return step
