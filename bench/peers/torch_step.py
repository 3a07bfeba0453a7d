#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same adaptation steps in eager PyTorch (torch.autograd.grad twice, Adam), on one core, against `ansatz bench`.

usage: torch_step.py [PATH-TO-ANSATZ] [SECONDS]

Both are measured by CPU time, best of many steps. Names the PyTorch build: another build may be faster.
"""
import json
import math
import os
import subprocess
import sys
import time

# torch.set_num_threads does not reach the threads of the BLAS behind it.
own_environment = dict(os.environ)
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
import torch

PI2 = 2 * math.pi


def linear(inputs, outputs, generator):
    bound = 1 / math.sqrt(inputs)
    weight = torch.empty(outputs, inputs).uniform_(-bound, bound, generator=generator)
    return [weight.requires_grad_(), torch.empty(outputs).uniform_(-bound, bound, generator=generator).requires_grad_()]


def orthogonal(width):
    return torch.nn.init.orthogonal_(torch.empty(width, width)).requires_grad_()


class Network:
    """Input layer per field, three layers tanh(C diag(s) R h) with shared bases, output layer per field."""

    def __init__(self, fields, features, width, generator):
        self.inputs = [linear(features, width, generator) for _ in range(fields)]
        self.outputs = [linear(width, 1, generator) for _ in range(fields)]
        self.bases = [[orthogonal(width), orthogonal(width)] for _ in range(3)]
        self.codes = torch.ones(fields, 3, width).requires_grad_()

    def parameters(self):
        return [p for group in self.inputs + self.outputs + self.bases for p in group] + [self.codes]

    def raw(self, field, features):
        h = torch.tanh(torch.nn.functional.linear(features, *self.inputs[field]))
        for l, (c, r) in enumerate(self.bases):
            h = torch.tanh(h @ ((c * self.codes[field, l]) @ r).t())
        return torch.nn.functional.linear(h, *self.outputs[field])


def slope(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def fisher_loss(network):
    x, t = torch.rand(1024, 1, requires_grad=True), torch.rand(1024, 1, requires_grad=True)
    waves = [f(PI2 * k * x) for k in range(1, 5) for f in (torch.sin, torch.cos)]
    features = torch.cat(waves + [t], 1)
    u = 0.35 + 0.20 * torch.sin(PI2 * x) + 0.08 * torch.cos(2 * PI2 * x + 0.3) + t * network.raw(0, features)
    v = 0.30 + 0.18 * torch.cos(PI2 * x + 0.4) - 0.06 * torch.sin(3 * PI2 * x) + t * network.raw(1, features)
    u_x, v_x = slope(u, x), slope(v, x)
    r_u = slope(u, t) - 0.017 * slope(u_x, x) + 0.40 * u_x - 1.55 * u * (1 - u) - 0.38 * v
    r_v = slope(v, t) - 0.009 * slope(v_x, x) + 0.70 * v_x - 0.85 * v * (1 - v) - 0.22 * u
    return 0.5 * (r_u.square().mean() + r_v.square().mean())


def cdr_loss(network):
    def field(x, t):
        return network.raw(0, torch.cat([x, t], 1))

    x, t = torch.rand(512, 1, requires_grad=True), torch.rand(512, 1, requires_grad=True)
    u = field(x, t)
    u_x = slope(u, x)
    r = slope(u, t) + 9.5 * u_x - 0.01 * slope(u_x, x) - 9.5 * u * (1 - u)
    x0, t1 = torch.rand(128, 1), torch.rand(128, 1)
    u0 = 0.5 + 0.20 * torch.sin(PI2 * x0) + 0.10 * torch.sin(2 * PI2 * x0 + 0.7) + 0.05 * torch.cos(3 * PI2 * x0)
    start = field(x0, torch.zeros_like(x0)) - u0
    ends = field(torch.zeros_like(t1), t1) - field(torch.ones_like(t1), t1)
    return r.square().mean() + start.square().mean() + ends.square().mean()


def measure(loss, fields, features, width, seconds):
    network = Network(fields, features, width, torch.Generator().manual_seed(1))
    parameters = network.parameters()
    optimiser = torch.optim.Adam(parameters, lr=1e-5)
    best, end = math.inf, time.process_time() + seconds
    while time.process_time() < end:
        start = time.process_time()
        optimiser.zero_grad()
        loss(network).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 10)
        optimiser.step()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/ansatz"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
    torch.set_num_threads(1)
    torch.manual_seed(1)
    command = [program, "bench", "--steps-only", "--json", "--seconds", str(seconds / 2)]
    runs, torch_ms = [], {"fisher_step": math.inf, "cdr_step": math.inf}
    for _ in range(2):  # in turn, so that a busy moment does not fall on one of them alone
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=own_environment).stdout))
        torch_ms["fisher_step"] = min(torch_ms["fisher_step"], measure(fisher_loss, 2, 9, 96, seconds / 2))
        torch_ms["cdr_step"] = min(torch_ms["cdr_step"], measure(cdr_loss, 1, 2, 256, seconds / 2))
    print(f"PyTorch {torch.__version__}, one thread; {runs[0]['cpu']}, {runs[0]['isa']}")
    print("\n".join(line[:100] for line in torch.__config__.show().splitlines() if "BLAS" in line or "capability" in line))
    for name, ms in torch_ms.items():
        own = min(run[name]["ms"] for run in runs)
        print(f"{name:12s} PyTorch {ms:8.2f} ms   ansatz {own:8.2f} ms   ratio {ms / own:.2f}")


if __name__ == "__main__":
    main()
