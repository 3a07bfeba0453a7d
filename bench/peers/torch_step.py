# SPDX-License-Identifier: Apache-2.0
"""The steps in PyTorch: nested torch.autograd.grad, eager; nested torch.func.grad or the channels of ansatz, compiled."""
import torch

import equations as eq

NAME = f"PyTorch {torch.__version__}"
torch.set_num_threads(1)


def slope(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def derivatives(u, x, t):
    u_x = slope(u, x)
    return u, u_x, slope(u, t), slope(u_x, x)


def fisher_nested(parameters, x, t):
    x, t = x.requires_grad_(), t.requires_grad_()
    features = torch.cat([f(eq.PI2 * k * x) for k in range(1, 5) for f in (torch.sin, torch.cos)] + [t], 1)
    fields = [eq.fisher_initial(torch, f, x)[0] + t * eq.raw(torch, eq.layers_of(parameters, f, 2), features) for f in range(2)]
    return eq.fisher_loss(*(derivatives(u, x, t) for u in fields))


def cdr_nested(parameters, x, t, x0, t1):
    layers = eq.layers_of(parameters, 0, 1)

    def field(a, b):
        return eq.raw(torch, layers, torch.cat((a, b), 1))

    x, t = x.requires_grad_(), t.requires_grad_()
    u = derivatives(field(x, t), x, t)
    return eq.cdr_loss(u, field(x0, 0 * x0) - eq.cdr_initial(torch, x0), field(0 * t1, t1) - field(1 + 0 * t1, t1))


NESTED = {"fisher_step": fisher_nested, "cdr_step": cdr_nested}
LOSSES = {"eager, nested autograd": NESTED}
if hasattr(torch, "compile"):  # which cannot differentiate a backward pass: gradients as functions
    def compiled(loss, *arguments):
        return torch.compile(lambda *a: loss(torch, *arguments, *a))

    LOSSES["compiled, nested grad"] = {"fisher_step": compiled(eq.fisher_nested, torch.func),
                                       "cdr_step": compiled(eq.cdr_nested, torch.func)}
    LOSSES["compiled, channels"] = {"fisher_step": compiled(eq.fisher_channels), "cdr_step": compiled(eq.cdr_channels)}


def tensors(arrays, **settings):
    return [torch.tensor(a, **settings) for a in arrays]


def loss_and_gradient(loss, parameters, points):
    leaves = tensors(parameters, requires_grad=True)
    value = loss(leaves, *tensors(points))
    value.backward()
    return value.item(), [p.grad.numpy() for p in leaves]


def stepper(loss, parameters):
    leaves = tensors(parameters, requires_grad=True)
    optimiser = torch.optim.Adam(leaves, lr=1e-5)

    def step(points):
        optimiser.zero_grad()
        loss(leaves, *tensors(points)).backward()
        torch.nn.utils.clip_grad_norm_(leaves, 10)
        optimiser.step()

    return step
