# SPDX-License-Identifier: Apache-2.0
"""The steps in JAX, compiled: derivatives by nested gradients, or by the channels of ansatz."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as np

import equations as eq

NAME = f"JAX {jax.__version__}"


LOSSES = {
    "jit, nested grad": {"fisher_step": lambda *a: eq.fisher_nested(np, jax, *a), "cdr_step": lambda *a: eq.cdr_nested(np, jax, *a)},
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
