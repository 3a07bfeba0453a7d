#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fisher H1 at the paper's settings: our reference beside SciPy's BDF, in one run.

    bench/peers/scipy_bdf.py build/ansatz families/fisher.pde [repeats]

SciPy integrates the same equations on the same 256 nodes with the same tolerances and largest step, derivatives by
numpy.fft, once with its numerical Jacobian and once with the exact one. Prints the best of the repeats (default 3)
for each, the ratio and the difference of the fields. Exit code 77 when NumPy or SciPy is missing.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    from scipy.integrate import solve_ivp
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

POINTS, TIMES, RELATIVE, ABSOLUTE, STEP = 256, 101, 1e-9, 1e-11, 0.02
EPS, A, RHO, K = (0.008, 0.018), (0.25, 0.65), (0.90, 1.50), (0.15, 0.35)

x = np.arange(POINTS) / POINTS
wave = 2j * np.pi * np.arange(POINTS // 2 + 1)
first = np.where(np.arange(POINTS // 2 + 1) == POINTS // 2, 0, wave)


def derivatives(u):
    modes = np.fft.rfft(u)
    return np.fft.irfft(first * modes, POINTS), np.fft.irfft(wave**2 * modes, POINTS)


def right_side(_, y):
    fields = y.reshape(2, POINTS)
    result = np.empty_like(fields)
    for f in range(2):
        u_x, u_xx = derivatives(fields[f])
        result[f] = EPS[f] * u_xx - A[f] * u_x + RHO[f] * fields[f] * (1 - fields[f]) + K[f] * fields[1 - f]
    return result.ravel()


identity = np.eye(POINTS)
D1 = np.array([derivatives(column)[0] for column in identity]).T
D2 = np.array([derivatives(column)[1] for column in identity]).T


def jacobian(_, y):
    fields = y.reshape(2, POINTS)
    blocks = [[None, None], [None, None]]
    for f in range(2):
        blocks[f][f] = EPS[f] * D2 - A[f] * D1 + np.diag(RHO[f] * (1 - 2 * fields[f]))
        blocks[f][1 - f] = K[f] * identity
    return np.block(blocks)


def start():
    u = 0.35 + 0.20 * np.sin(2 * np.pi * x) + 0.08 * np.cos(4 * np.pi * x + 0.3)
    v = 0.30 + 0.18 * np.cos(2 * np.pi * x + 0.4) - 0.06 * np.sin(6 * np.pi * x)
    return np.concatenate([u, v])


def scipy_solution(exact_jacobian):
    begin = time.perf_counter()
    answer = solve_ivp(right_side, (0, 1), start(), method="BDF", t_eval=np.linspace(0, 1, TIMES), rtol=RELATIVE,
                       atol=ABSOLUTE, max_step=STEP, jac=jacobian if exact_jacobian else None)
    assert answer.success, answer.message
    return answer.y.T.reshape(TIMES, 2, POINTS), time.perf_counter() - begin


def our_solution(program, family, folder):
    path = os.path.join(folder, "h1.npz")
    told = subprocess.run([program, "reference", family, "--case", "H1", "--no-cache", "--json", "-o", path], check=True,
                          capture_output=True, text=True).stdout
    arrays = np.load(path)
    return np.stack([arrays["u"], arrays["v"]], axis=1), json.loads(told)["seconds"]


def best(solve, repeats):
    answers = [solve() for _ in range(repeats)]
    return answers[0][0], min(seconds for _, seconds in answers)


def main():
    program, family = sys.argv[1:3]
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        ours, our_seconds = best(lambda: our_solution(program, family, folder), repeats)
    result = {"ansatz_seconds": our_seconds}
    for name, exact in (("numerical", False), ("exact", True)):
        theirs, seconds = best(lambda: scipy_solution(exact), repeats)
        difference = [float(np.linalg.norm(ours[:, f] - theirs[:, f]) / np.linalg.norm(theirs[:, f])) for f in range(2)]
        result[f"scipy_{name}_jacobian"] = {"seconds": seconds, "times_ours": seconds / our_seconds, "difference": difference}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
