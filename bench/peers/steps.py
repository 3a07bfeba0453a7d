#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The paper's two adaptation steps in ansatz, JAX and PyTorch on one core: agreement, then time.

usage: steps.py [PATH-TO-ANSATZ] [SECONDS] [--dump PATH-TO-TORCH_DUMP]

Every framework that is installed takes part. First the loss and gradient of each version are compared with those of the
first, and, with the test program torch_dump, the channels (in JAX, double precision) with ansatz's own. Then steps are timed
by CPU time, best of many, in turn with `ansatz bench`, so that a busy moment does not fall on one of them alone.
"""
import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import time

own_environment = dict(os.environ)
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
if hasattr(os, "sched_setaffinity"):  # JAX's threads: one core, for the programs that are started too
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy

import equations as eq

PROBLEMS = (eq.FISHER, eq.CDR)


def points_of(problem, stream):
    count, conditions = problem["points"], problem.get("conditions", 0)
    sizes = [count, count] + [conditions] * (2 if conditions else 0)
    return [stream.random((size, 1), dtype=numpy.float32) for size in sizes]


def difference(ours, theirs):
    """Largest of the loss's and of every array's relative difference."""
    loss = abs(ours[0] / theirs[0] - 1)
    return max(loss, *(float(numpy.linalg.norm(a - b) / numpy.linalg.norm(b)) for a, b in zip(ours[1], theirs[1])))


def frameworks():
    found = []
    for name in ("jax_step", "torch_step"):
        try:
            found.append(importlib.import_module(name))
        except ImportError as error:
            print(f"{name[:-5]} is left out: {error}")
    return found


def read_dump(program):
    facts, layers = {}, []
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
        name, *words = line.split()
        if name == "layer":
            layers.append({"stream": int(words[0]), "shape": (int(words[2]), int(words[1]))})
        elif not layers:
            facts[name] = numpy.array(words, float)
        else:
            values = numpy.array(words, float)
            layers[-1][name] = values.reshape(layers[-1]["shape"]) if name.startswith("weight") else values
    return facts, [[layer for layer in layers if layer["stream"] == s] for s in range(2)]


def check_dump(program):
    """The channels in double precision against ansatz's loss and the gradient of every matrix; needs JAX."""
    import jax

    jax.config.update("jax_enable_x64", True)
    np = jax.numpy
    facts, streams = read_dump(program)
    x, t = (np.asarray(facts["points"].reshape(-1, 2)[:, i:i + 1]) for i in range(2))
    names = ("eps_u", "a_u", "rho_u", "k_uv", "eps_v", "a_v", "rho_v", "k_vu")
    coefficients = dict(zip(names, facts["coefficients"]))

    def loss(weights):
        features, fields = eq.fisher_features(np, x, t), []
        for f, layers in enumerate(weights):
            n, n_x, n_t, n_xx = eq.raw_channels(np, layers, features)
            u, u_x, u_xx = eq.fisher_initial(np, f, x)
            fields.append((u + t * n, u_x + t * n_x, n + t * n_t, u_xx + t * n_xx))
        return eq.fisher_loss(*fields, coefficients)

    weights = [[(layer["weight"], layer.get("bias")) for layer in layers] for layers in streams]
    value, gradient = jax.value_and_grad(loss)(weights)
    ours = [layer["weight_gradient"] for layers in streams for layer in layers]
    theirs = [numpy.asarray(weight) for layers in gradient for weight, _ in layers]
    jax.config.update("jax_enable_x64", False)
    return difference((facts["loss"][0], ours), (float(value), theirs))


def best_step(step, problem, seconds):
    stream = numpy.random.default_rng(2)
    step(points_of(problem, stream))  # compiles
    best, end = math.inf, time.process_time() + seconds
    while time.process_time() < end:
        points = points_of(problem, stream)
        begin = time.process_time()
        step(points)
        best = min(best, time.process_time() - begin)
    return 1e3 * best


def main():
    words = argparse.ArgumentParser()
    words.add_argument("program", nargs="?", default="build/ansatz")
    words.add_argument("seconds", nargs="?", type=float, default=6)
    words.add_argument("--dump")
    words = words.parse_args()
    found = frameworks()
    if not found:
        sys.exit("neither JAX nor PyTorch is installed")
    if words.dump:
        print(f"channels against ansatz, double precision: {check_dump(words.dump):.1e}")
    versions = [(f"{module.NAME}, {name}", module, losses) for module in found for name, losses in module.LOSSES.items()]
    start = {p["name"]: eq.network(p["fields"], p["features"], p["width"]) for p in PROBLEMS}
    first, steps = {}, {}
    for problem in PROBLEMS:
        points = points_of(problem, numpy.random.default_rng(3))
        for name, module, losses in versions:
            loss = losses[problem["name"]]
            answer = module.loss_and_gradient(loss, start[problem["name"]], points)
            reference = first.setdefault(problem["name"], answer)
            print(f"{problem['name']:12s} {name:50s} loss {answer[0]:.6f}, differs by {difference(answer, reference):.1e}")
            steps[problem["name"], name] = module.stepper(loss, start[problem["name"]])
    command = [words.program, "bench", "--steps-only", "--json", "--seconds", str(words.seconds / 2)]
    runs, best = [], {}
    for _ in range(2):
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=own_environment).stdout))
        for problem in PROBLEMS:
            for name, _, _ in versions:
                key = problem["name"], name
                best[key] = min(best.get(key, math.inf), best_step(steps[key], problem, words.seconds / 2))
    print(f"\nOne thread; {runs[0]['cpu']}, {runs[0]['isa']}\n\n| one step, ms (times ansatz's) | Fisher | CDR |\n|---|---|---|")
    own = {p["name"]: min(run[p["name"]]["ms"] for run in runs) for p in PROBLEMS}
    print("| ansatz | " + " | ".join(f"{own[p['name']]:.1f}" for p in PROBLEMS) + " |")
    for name, _, _ in versions:
        print(f"| {name} | " + " | ".join(f"{best[p['name'], name]:.1f} ({best[p['name'], name] / own[p['name']]:.1f})" for p in PROBLEMS) + " |")


if __name__ == "__main__":
    main()
