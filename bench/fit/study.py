#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good are fits? Data made without ansatz, fitted by `ansatz fit`, compared with the truth.

  study.py PROGRAM FOLDER COMMIT [PROBLEM=REPEATS ...]    runs what FOLDER has no record of yet, and prints the table
  study.py --report FOLDER                                prints the table from the records alone

Each problem states its data by a formula or by a solver of its own (fourth-order differences and Runge-Kutta), its noise by a seeded
generator. A record is one line of FOLDER/PROBLEM.jsonl: the commit that PROGRAM was built from, truth, what was printed, processor and
clock seconds. Repeats differ in the noise and the places that are measured and, where it says so, in coefficients and initial values.
"""
import json
import math
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FAMILIES = pathlib.Path(__file__).resolve().parent
ROOT = FAMILIES.parent.parent


# ---- Data ------------------------------------------------------------------------------------------------------

def burgers(x, t, nu):
    """Cole and Hopf: u_t + u u_x = nu u_xx, u(x, 0) = -sin(pi x), by the trapezium rule, which converges exponentially."""
    if t == 0:
        return -math.sin(math.pi * x)
    width, count = 1.2 * t + 10 * math.sqrt(2 * nu * t), 800  # |u| < 1: a characteristic comes from no farther
    above = below = 0.0
    rows = []
    for i in range(-count, count + 1):
        eta = width * i / count
        rows.append((-math.cos(math.pi * (x - eta)) / (2 * math.pi * nu) - eta * eta / (4 * nu * t), math.sin(math.pi * (x - eta))))
    most = max(exponent for exponent, _ in rows)
    for exponent, sine in rows:
        weight = math.exp(exponent - most)
        above += sine * weight
        below += weight
    return -above / below


def fisher(c, nodes=96, times=41, start=None):
    """[time][field][node] of families/fisher.pde: fourth-order differences in space, Runge-Kutta in time. start: of u, another one."""
    h = 1 / nodes
    place = [i * h for i in range(nodes)]
    u = [0.35 + 0.20 * math.sin(2 * math.pi * x) + 0.08 * math.cos(4 * math.pi * x + 0.3) for x in place]
    u = [start(x) for x in place] if start else u
    v = [0.30 + 0.18 * math.cos(2 * math.pi * x + 0.4) - 0.06 * math.sin(6 * math.pi * x) for x in place]

    def rate(f, g, eps, a, rho, kappa):
        result = []
        for i in range(nodes):
            p, q, r, s = f[i - 2], f[i - 1], f[(i + 1) % nodes], f[(i + 2) % nodes]
            first = (p - 8 * q + 8 * r - s) / (12 * h)
            second = (-p + 16 * q - 30 * f[i] + 16 * r - s) / (12 * h * h)
            result.append(eps * second - a * first + rho * f[i] * (1 - f[i]) + kappa * g[i])
        return result

    def rates(f, g):
        return (rate(f, g, c["eps_u"], c["a_u"], c["rho_u"], c.get("k_uv", 0)), rate(g, f, c["eps_v"], c["a_v"], c["rho_v"], c.get("k_vu", 0)))

    levels, steps = [[u, v]], math.ceil(1 / (times - 1) / (2.0 * h * h / (16 / 3 * 0.02)))
    dt = 1 / (times - 1) / steps
    for _ in range(times - 1):
        for _ in range(steps):
            k1 = rates(u, v)
            k2 = rates([a + dt / 2 * b for a, b in zip(u, k1[0])], [a + dt / 2 * b for a, b in zip(v, k1[1])])
            k3 = rates([a + dt / 2 * b for a, b in zip(u, k2[0])], [a + dt / 2 * b for a, b in zip(v, k2[1])])
            k4 = rates([a + dt * b for a, b in zip(u, k3[0])], [a + dt * b for a, b in zip(v, k3[1])])
            u = [a + dt / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(u, k1[0], k2[0], k3[0], k4[0])]
            v = [a + dt / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(v, k1[1], k2[1], k3[1], k4[1])]
        levels.append([u, v])
    return place, [k / (times - 1) for k in range(times)], levels


def reaction(diffusion, rate, nodes=101, times=41):
    """[time][field][node] of reaction.pde: fourth-order differences in space, one-sided beside the ends, Runge-Kutta in time."""
    h = 1 / (nodes - 1)
    place = [i * h for i in range(nodes)]
    first = [math.exp(-20 * x) for x in place]
    first[-1] = 0.0

    def second(f):
        near = (10, -15, -4, 14, -6, 1)
        inner = [(-f[i - 2] + 16 * f[i - 1] - 30 * f[i] + 16 * f[i + 1] - f[i + 2]) / (12 * h * h) for i in range(2, nodes - 2)]
        ends = [sum(w * v for w, v in zip(near, values)) / (12 * h * h) for values in (f[:6], f[:-7:-1])]
        return [0.0, ends[0], *inner, ends[1], 0.0]

    def rates(f, g):
        lost = [0.0, *(rate * a * b * b for a, b in zip(f[1:-1], g[1:-1])), 0.0]
        return [diffusion * d - r for d, r in zip(second(f), lost)], [diffusion * d - 2 * r for d, r in zip(second(g), lost)]

    def moved(state, way, change):
        return [[a + way * b for a, b in zip(f, d)] for f, d in zip(state, change)]

    levels, steps = [[first, first]], math.ceil(10 / (times - 1) / (2.0 * h * h / (16 / 3 * diffusion)))
    dt = 10 / (times - 1) / steps
    for _ in range(times - 1):
        now = levels[-1]
        for _ in range(steps):
            k1 = rates(*now)
            k2 = rates(*moved(now, dt / 2, k1))
            k3 = rates(*moved(now, dt / 2, k2))
            k4 = rates(*moved(now, dt, k3))
            for way, k in ((dt / 6, k1), (dt / 3, k2), (dt / 3, k3), (dt / 6, k4)):
                now = moved(now, way, k)
        levels.append(now)
    return place, [10 * k / (times - 1) for k in range(times)], levels


def fisher_draw(draw, structure):
    c = {f"eps_{f}": math.exp(draw.uniform(math.log(0.006), math.log(0.018))) for f in "uv"}
    c.update({f"a_{f}": draw.uniform(0.25, 0.75) for f in "uv"})
    c.update({f"rho_{f}": draw.uniform(0.85, 1.55) for f in "uv"})
    for name in {"uncoupled": (), "v_to_u": ("k_uv",), "u_to_v": ("k_vu",), "two_way": ("k_uv", "k_vu")}[structure]:
        c[name] = draw.uniform(0.1, 0.4)
    return c


def measured_rows(draw, names, solution):
    """64 points of both fields, noise of 1 % of each field's deviation."""
    place, times, levels = solution
    noise = [0.01 * statistics.pstdev(value for level in levels for value in level[f]) for f in (0, 1)]
    rows = ["x,t," + names]
    for _ in range(64):
        i, k = draw.randrange(len(place)), draw.randrange(len(times))
        rows.append(f"{place[i]!r},{times[k]!r}," + ",".join(repr(levels[k][f][i] + draw.gauss(0, noise[f])) for f in (0, 1)))
    return rows


# ---- Problems: (family, words, truth, rows) of one repeat -----------------------------------------------------

ALL = "eps_u,a_u,rho_u,k_uv,eps_v,a_v,rho_v,k_vu"


def problem_burgers(draw, repeat):
    nu = 0.01 / math.pi
    rows = ["x,t,u"]
    for _ in range(2000):
        x, t = draw.uniform(-1, 1), draw.uniform(0, 0.99)
        rows.append(f"{x!r},{t!r},{burgers(x, t, nu) + draw.gauss(0, 0.01 * 0.614)!r}")  # 0.614: the field's deviation
    return FAMILIES / "burgers.pde", ["--unknown", "l1,l2"], {"l1": 1, "l2": nu}, rows


def problem_fisher(draw, repeat):
    c = fisher_draw(draw, "two_way")
    return ROOT / "families/fisher.pde", ["--unknown", ALL], c, measured_rows(draw, "u,v", fisher(c))


def problem_structure(draw, repeat):
    c = fisher_draw(draw, ["uncoupled", "v_to_u", "u_to_v", "two_way"][repeat % 4])
    return ROOT / "families/fisher.pde", ["--unknown", ALL, "--structure", "auto", "--no-check"], c, measured_rows(draw, "u,v", fisher(c))


def problem_initial(draw, repeat):
    """One field, three coefficients and the initial value unknown: three waves whose sizes and places are drawn."""
    c = {"eps_u": math.exp(draw.uniform(math.log(0.006), math.log(0.018))), "a_u": draw.uniform(0.25, 0.75), "rho_u": draw.uniform(0.85, 1.55)}
    waves = [(size * draw.uniform(0.6, 1.4), draw.uniform(0, 2 * math.pi)) for size in (0.18, 0.08, 0.04)]

    def start(x):
        return 0.4 + sum(size * math.cos(2 * math.pi * (k + 1) * x + phase) for k, (size, phase) in enumerate(waves))

    place, times, levels = fisher({**c, "eps_v": 0.01, "a_v": 0, "rho_v": 0}, start=start)
    noise = 0.01 * statistics.pstdev(value for level in levels for value in level[0])
    rows = ["x,t,u"]
    for _ in range(64):
        i, k = draw.randrange(len(place)), draw.randrange(len(times))
        rows.append(f"{place[i]!r},{times[k]!r},{levels[k][0][i] + draw.gauss(0, noise)!r}")
    truth = {"eps": c["eps_u"], "a": c["a_u"], "rho": c["rho_u"], "initial": [start(i / 16) for i in range(16)]}
    return FAMILIES / "initial.pde", ["--unknown", "eps,a,rho"], truth, rows


def problem_diffusion(draw, repeat):
    """DeepXDE's inverse example, ten points at the end: u = exp(-t) sin(pi x), C = 1; noise of 1 % added."""
    rows = ["x,t,u"]
    for i in range(10):
        x = -1 + 2 * (i + 0.5) / 10
        rows.append(f"{x!r},1,{math.exp(-1) * math.sin(math.pi * x) + draw.gauss(0, 0.0026)!r}")
    return FAMILIES / "diffusion.pde", ["--unknown", "C"], {"C": 1}, rows


def problem_reaction(draw, repeat):
    """DeepXDE's A + 2B, both numbers unknown; 64 points where DeepXDE has a dense grid, and noise of 1 %."""
    if not REACTION:
        REACTION.append(reaction(0.002, 0.1))
    return FAMILIES / "reaction.pde", ["--unknown", "D,k"], {"D": 0.002, "k": 0.1}, measured_rows(draw, "ca,cb", REACTION[0])


REACTION = []  # the one solution of all repeats


def problem_wave(draw, repeat):
    """A wave that drifts and decays, its amplitude unknown, too; coefficients drawn, noise of 2 %, known to nobody."""
    truth = {"D": math.exp(draw.uniform(math.log(0.003), math.log(0.03))), "c": draw.uniform(0.1, 0.9), "a": draw.uniform(0.6, 1.8)}
    rows = ["x,t,u"]
    for _ in range(40):
        x, t = draw.random(), draw.random()
        u = truth["a"] * math.exp(-4 * math.pi ** 2 * truth["D"] * t) * math.sin(2 * math.pi * (x - truth["c"] * t))
        rows.append(f"{x!r},{t!r},{u + draw.gauss(0, 0.02)!r}")
    return FAMILIES / "wave.pde", ["--unknown", "D,c,a"], truth, rows


def problem_pair(draw, repeat):
    """The same wave, drifting with c + e: no data can tell the two apart."""
    family, words, truth, rows = problem_wave(draw, repeat)
    return FAMILIES / "pair.pde", ["--unknown", "D,c,e,a"], {"D": truth["D"], "a": truth["a"]}, rows


PROBLEMS = {name[8:]: function for name, function in globals().items() if name.startswith("problem_")}
DEFAULT = {"wave": 60, "pair": 20, "diffusion": 30, "reaction": 20, "fisher": 12, "initial": 12, "structure": 8, "burgers": 5}


# ---- Running ---------------------------------------------------------------------------------------------------

def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program, commit, name, repeat):
    family, words, truth, rows = PROBLEMS[name](random.Random(f"{name} {repeat}"), repeat)
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data.csv"
        data.write_text("\n".join(rows) + "\n")
        clock, processor = time.monotonic(), processor_seconds()
        done = subprocess.run([program, "fit", str(family), "--data", str(data), *words, "--json", "--quiet", "--threads", "1"],
                              capture_output=True, text=True)
        seconds = processor_seconds() - processor, time.monotonic() - clock
    answer = json.loads(done.stdout) if done.stdout else {"failure": done.stderr}
    for profile in answer.get("initial", []):
        profile.update({key: profile[key][:64:4] for key in ("places", "estimates", "errors", "low", "high")})  # of 65 places 16
    return {"problem": name, "repeat": repeat, "commit": commit, "truth": truth, "code": done.returncode, "processor": round(seconds[0], 3),
            "clock": round(seconds[1], 3), "answer": {k: answer.get(k) for k in (
                "unknowns", "initial", "forward", "structure", "structures", "flagged", "notes", "reference", "corrected", "network_error", "failure")}}


def records(folder, name):
    path = pathlib.Path(folder) / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# ---- The table -------------------------------------------------------------------------------------------------

def describe(name, found):
    good = [r for r in found if r["answer"]["unknowns"]]
    errors, inside, classical = [], [], []
    for r in good:
        for number in r["answer"]["unknowns"]:
            if number["name"] in r["truth"]:
                truth = r["truth"][number["name"]]
                errors.append(abs(number["estimate"] / truth - 1))
                inside.append(number["low"] <= truth <= number["high"])
        reference = r["answer"]["reference"]
        if reference and reference.get("available"):
            classical.append(reference["distance"])
    right = [r for r in good if set(r["truth"]) == {n["name"] for n in r["answer"]["unknowns"]}]
    cells = [name, str(len(found)), f"{100 * statistics.median(errors):.2g} %" if errors else "-", f"{100 * max(errors):.2g} %" if errors else "-",
             f"{100 * sum(inside) / len(inside):.1f} % of {len(inside)}" if inside else "-",
             f"{statistics.median(classical):.2g} / {max(classical):.2g}" if classical else "-",
             f"{len(right)} of {len(found)}" if name == "structure" else "-", str(sum(r["code"] == 7 for r in found)),
             f"{statistics.median(r['processor'] for r in found):.2g}"]
    return "| " + " | ".join(cells) + " |"


def describe_profiles(found):
    """How often the band of an unknown initial value holds the truth, place by place."""
    inside, errors = [], []
    for r in found:
        for profile in r["answer"]["initial"] or []:
            rows = list(zip(r["truth"]["initial"], profile["low"], profile["estimates"], profile["high"]))
            inside += [low <= truth <= high for truth, low, _, high in rows]
            spread = statistics.pstdev(r["truth"]["initial"])
            errors.append(math.sqrt(sum((estimate - truth) ** 2 for truth, _, estimate, _ in rows) / len(rows)) / spread)
    return (f"initial values: the 95 % band holds the truth at {100 * sum(inside) / len(inside):.1f} % of {len(inside)} places; "
            f"error (root mean square, relative to the profile's deviation) {100 * statistics.median(errors):.2g} % in the median, "
            f"{100 * max(errors):.2g} % at worst")


def report(folder):
    print("| problem | fits | relative error, median | worst | 95 % intervals that hold the truth | from the classical fit, "
          "in standard errors, median / worst | structure right | flagged | processor seconds, median |")
    print("|---" * 9 + "|")
    for name in DEFAULT:
        found = records(folder, name)
        if found:
            print(describe(name, found))
    if records(folder, "initial"):
        print("\n" + describe_profiles(records(folder, "initial")))


def main(words):
    if words[0] == "--report":
        return report(words[1])
    program, folder, commit = words[0], pathlib.Path(words[1]), words[2]
    wanted = dict(word.split("=") for word in words[3:]) or DEFAULT
    folder.mkdir(parents=True, exist_ok=True)
    for name, repeats in wanted.items():
        done = {record["repeat"] for record in records(folder, name)}
        for repeat in sorted(set(range(int(repeats))) - done):
            with open(folder / f"{name}.jsonl", "a") as file:
                file.write(json.dumps(run(program, commit, name, repeat)) + "\n")
    report(folder)


main(sys.argv[1:])
