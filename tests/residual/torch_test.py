#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loss and gradient of a Fisher network against PyTorch's automatic differentiation; skipped without PyTorch."""
import math
import subprocess
import sys

try:
    import torch
except ImportError:
    print("PyTorch is not installed")
    sys.exit(77)

torch.set_default_dtype(torch.float64)
PI2 = 2 * math.pi


def read(program):
    streams, facts = [[], []], {}
    layer = None
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
        name, *words = line.split()
        if name == "layer":
            stream, inputs, outputs, _ = map(int, words)
            layer = {"shape": (outputs, inputs)}
            streams[stream].append(layer)
        elif layer is None:
            facts[name] = [float(word) for word in words]
        else:
            values = torch.tensor([float(word) for word in words])
            layer[name] = values.reshape(layer["shape"]) if name.startswith("weight") else values
    return facts, streams


def slope(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def raw(layers, features):
    h = features
    for i, layer in enumerate(layers):
        h = torch.nn.functional.linear(h, layer["weight"], layer.get("bias"))
        if i + 1 < len(layers):
            h = torch.tanh(h)
    return h


facts, streams = read(sys.argv[1])
leaves = [(layer, name) for layers in streams for layer in layers for name in ("weight", "bias") if name in layer]
for layer, name in leaves:
    layer[name].requires_grad_()
points = torch.tensor(facts["points"]).reshape(-1, 2)
x, t = points[:, :1].clone().requires_grad_(), points[:, 1:].clone().requires_grad_()
features = torch.cat([f(PI2 * k * x) for k in range(1, 5) for f in (torch.sin, torch.cos)] + [t], 1)
u = 0.35 + 0.20 * torch.sin(PI2 * x) + 0.08 * torch.cos(2 * PI2 * x + 0.3) + t * raw(streams[0], features)
v = 0.30 + 0.18 * torch.cos(PI2 * x + 0.4) - 0.06 * torch.sin(3 * PI2 * x) + t * raw(streams[1], features)
eps_u, a_u, rho_u, k_uv, eps_v, a_v, rho_v, k_vu = facts["coefficients"]
u_x, v_x = slope(u, x), slope(v, x)
r_u = slope(u, t) - eps_u * slope(u_x, x) + a_u * u_x - rho_u * u * (1 - u) - k_uv * v
r_v = slope(v, t) - eps_v * slope(v_x, x) + a_v * v_x - rho_v * v * (1 - v) - k_vu * u
loss = 0.5 * (r_u.square().mean() + r_v.square().mean())
loss.backward()

worst = abs(loss.item() / facts["loss"][0] - 1)
for layer, name in leaves:
    ours = layer[name + "_gradient"]
    worst = max(worst, ((layer[name].grad - ours).norm() / ours.norm()).item())
print(f"PyTorch {torch.__version__}: largest relative difference {worst:.2e}")
sys.exit(worst > 1e-11)
