# SPDX-License-Identifier: Apache-2.0
"""`ansatz fit`: measurements made from formulas, answers as text and JSON, and everything that may be wrong with a table."""
import json
import math
import pathlib
import random
import subprocess
import struct
import tempfile
import zipfile

from program import ANSATZ, ProgramTest, disk_of, main, run

WAVE = """coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
coefficient D in [0.002, 0.05] log
coefficient c in [0, 1]
equation u: u_t + c*u_x = D*u_xx
initial u = sin(2*pi*x)
case slow: D=0.01 c=0.4
network width 16, layers 1
reference points 32, times 41
"""
# A front that this network cannot resolve: 0.01/pi and noise of 0.05.
FRONT = """coordinate x in [-1, 1]
coordinate t in [0, 0.6] time
field u
coefficient nu in [0.002, 0.02] log
equation u: u_t + u*u_x = nu*u_xx
initial u = -sin(pi*x)
boundary u at x=-1: u = 0
boundary u at x=1: u = 0
network width 8, layers 1
"""
FRONT_DATA = """x,t,u
-0.000912983,0.569695,0.0960309
0.067153,0.55966,-0.937414
0.052456,0.301264,-0.822129
0.0802855,0.318354,-0.835118
0.0878298,0.528723,-0.93946
-0.0566801,0.55327,0.988287
-0.0124225,0.597487,0.916279
-0.0533831,0.43852,0.994549
"""
PAIR = WAVE.replace("coefficient c in [0, 1]", "coefficient c, e in [0, 1]").replace("+ c*u_x", "+ (c+e)*u_x").replace(
    "c=0.4", "c=0.1 e=0.3")


def table(count, sigma=0.02, header="x,t,u", seed=1):
    draw = random.Random(seed)
    lines = [header]
    for _ in range(count):
        x, t = draw.random(), draw.random()
        u = math.exp(-4 * math.pi ** 2 * 0.01 * t) * math.sin(2 * math.pi * (x - 0.4 * t)) + draw.gauss(0, sigma)
        lines.append(f"{x:.9g},{t:.9g},{u:.9g}")
    return "\n".join(lines) + "\n"


def npz(path, arrays, compression=zipfile.ZIP_STORED):
    """What numpy.savez writes: arrays are {name: (shape, numbers)}."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, (shape, numbers) in arrays.items():
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
            head += " " * (-(len(head) + 11) % 64) + "\n"
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                             + struct.pack(f"<{len(numbers)}d", *numbers))


class Fit(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.settings = {"cwd": folder.name, "environment": {"ANSATZ_CACHE": folder.name}}
        self.write("wave.pde", WAVE)
        self.write("good.csv", table(60))

    def write(self, name, text):
        (self.path / name).write_text(text)

    def fit(self, *words, data="good.csv", file="wave.pde"):
        done = run("fit", file, "--data", data, *words, "--json", "--quiet", **self.settings)
        return done.returncode, json.loads(done.stdout)

    def test_estimates(self):
        code, answer = self.fit("--unknown", "D,c")
        self.assertEqual(code, 0, answer["notes"])
        for unknown, truth in zip(answer["unknowns"], (0.01, 0.4)):
            self.assertLess(abs(unknown["estimate"] - truth), 3.5 * unknown["error"])
            self.assertLess(unknown["low"], unknown["estimate"])
            self.assertLess(unknown["estimate"], unknown["high"])
        self.assertLess(abs(answer["noise"][0]["sigma"] - 0.02), 0.006)
        self.assertTrue(answer["reference"]["agrees"])
        self.assertEqual(answer["forward"], "network")
        self.assertLess(answer["reference"]["distance"], 0.1)
        self.assertAlmostEqual(answer["covariance"][0][0] ** 0.5, answer["unknowns"][0]["error"])
        text = self.ok("fit", "wave.pde", "--data", "good.csv", "--unknown", "c=0.9", "--fixed", "D=0.01", "--save",
                       "found.solver", **self.settings)
        self.assertIn("95 % interval", text)
        self.assertIn("classical", text)
        at = self.ok("eval", "found.solver", "--at", "x=0.5,t=0.5", **self.settings).splitlines()[1]
        self.assertAlmostEqual(float(at.split(",")[2]), math.exp(-0.02 * math.pi ** 2) * math.sin(0.6 * math.pi), delta=0.05)

    def test_a_model_gives_the_start_and_not_the_answer(self):
        """However little it has learned: its guess moves the start, and the data decide."""
        self.ok("train", "wave.pde", "-o", "wave.safetensors", "--steps", "200", "--quiet", **self.settings)
        code, answer = self.fit("--unknown", "D,c", "--model", "wave.safetensors")
        self.assertEqual(code, 0, answer["notes"])
        for unknown, plain in zip(answer["unknowns"], self.fit("--unknown", "D,c")[1]["unknowns"]):
            self.assertLess(abs(unknown["estimate"] - plain["estimate"]), 0.1 * plain["error"])
            self.assertNotAlmostEqual(unknown["start"], plain["start"])
        self.write("wave.pde", WAVE.replace("+ c*u_x", "+ 2*c*u_x"))
        self.refused(5, "the model was trained on other equations", "--data", "good.csv", "--unknown", "D,c", "--model", "wave.safetensors")

    def test_input_and_case(self):
        done = run("fit", "wave.pde", "--data", "-", "--unknown", "c", "--case", "slow", "--no-check", "--json",
                   input=table(40), **self.settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(json.loads(done.stdout)["reference"])

    def test_the_classical_fit_answers_where_the_network_cannot(self):
        self.write("front.pde", FRONT)
        self.write("front.csv", FRONT_DATA)
        code, answer = self.fit("--unknown", "nu", "--profile", data="front.csv", file="front.pde")
        if not answer["reference"]["available"]:  # built without SUNDIALS
            return
        nu, reference = answer["unknowns"][0], answer["reference"]
        self.assertEqual((code, answer["forward"]), (0, "classical"), answer["notes"])
        self.assertLess(abs(nu["estimate"] - 0.01 / math.pi), 2 * nu["error"])
        self.assertEqual((nu["estimate"], nu["error"]), (reference["estimates"][0], reference["errors"][0]))
        self.assertGreater(reference["network_errors"][0] / reference["network_estimates"][0], 1.25 * nu["error"] / nu["estimate"])
        self.assertIn("numbers of the classical fit", answer["notes"][-1]["text"])
        profile = answer["profiles"][0]  # the classical fit's, too: least where the estimate is
        self.assertEqual(profile["at"][3], nu["estimate"])
        self.assertEqual(min(value for value in profile["chi2"] if value is not None), profile["chi2"][3])

    def test_unidentified_pair_is_named(self):
        self.write("pair.pde", PAIR)
        code, answer = self.fit("--unknown", "D,c,e", file="pair.pde")
        self.assertEqual(code, 7)
        self.assertTrue(any("do not tell c and e apart" in note["text"] for note in answer["notes"]))
        self.assertEqual([u["identified"] for u in answer["unknowns"]], [True, False, False])

    def test_other_equation_and_constant_data(self):
        code, answer = self.fit("--unknown", "D", "--fixed", "c=0", "--noise", "u=0.02")
        self.assertEqual(code, 7)
        self.assertGreater(answer["chi2"] / answer["freedom"], 5)
        self.write("flat.csv", "x,t,u\n" + "".join(f"{i / 20},{i / 20},0.5\n" for i in range(20)))
        code, answer = self.fit("--unknown", "D,c", "--no-check", data="flat.csv")
        self.assertEqual(code, 7)
        self.assertTrue(any("are equal" in note["text"] for note in answer["notes"]))

    def test_several_files(self):
        self.write("other.csv", table(40, seed=5))
        self.write("bad.csv", "x,t,u\n0,0,zero\n")
        done = run("fit", "wave.pde", "--data", "good.csv,bad.csv,other.csv", "--unknown", "c", "--fixed", "D=0.01",
                   "--json", **self.settings)
        self.assertEqual(done.returncode, 2, done.stderr)
        first, second, third = json.loads(done.stdout)["fits"]
        self.assertIn("bad.csv:2:5: 'zero' is not a number", second["failure"])
        for fit in (first, third):
            self.assertLess(abs(fit["unknowns"][0]["estimate"] - 0.4), 4 * fit["unknowns"][0]["error"])
        alone = self.fit("--unknown", "c", "--fixed", "D=0.01")[1]
        self.assertEqual(alone["unknowns"], first["unknowns"])

    def test_groups_of_one_table(self):
        lines = ["x,t,run,u"]
        for name, text in (("day 1", table(30)), ("day 2", table(30, seed=2)), ("short", "x,t,u\n0.1,0.1,0.5\n")):
            for line in text.splitlines()[1:]:
                x, t, u = line.split(",")
                lines.append(f'{x},{t},"{name}",{u}')
        lines = lines[:1] + sorted(lines[1:])  # by x: the groups are mixed
        self.write("all.csv", "\n".join(lines) + "\n")
        words = ("fit", "wave.pde", "--data", "all.csv", "--group", "run", "--unknown", "c", "--fixed", "D=0.01", "--no-check")
        done = run(*words, "--json", "--quiet", **self.settings)
        fits = {fit["group"]: fit for fit in json.loads(done.stdout)["fits"]}
        self.assertEqual(set(fits), {"day 1", "day 2", "short"})
        self.assertIn("leave nothing to estimate the noise from", fits["short"]["failure"])
        self.assertIn("all.csv: short: as many measured values", done.stderr)
        self.assertEqual(done.returncode, 2)
        self.write("one.csv", table(30))
        code, alone = self.fit("--unknown", "c", "--fixed", "D=0.01", "--no-check", data="one.csv")
        self.assertEqual(code, 0)
        for name in ("day 1", "day 2"):
            self.assertLess(abs(fits[name]["unknowns"][0]["estimate"] - 0.4), 3.5 * fits[name]["unknowns"][0]["error"])
        self.assertAlmostEqual(alone["unknowns"][0]["estimate"], fits["day 1"]["unknowns"][0]["estimate"], delta=1e-5)
        text = run(*words, **self.settings).stdout
        self.assertIn("== all.csv: day 2\n", text)
        self.refused(2, "--group is for one table", "--data", "all.csv,one.csv", "--group", "run", "--unknown", "D,c")
        self.refused(2, "--next is for one data set", "--data", "all.csv", "--group", "run", "--unknown", "D,c", "--next", 1)
        words = ("--data", "bad.csv", "--group", "run", "--unknown", "D,c")
        self.refused(2, "belongs to no group", *words, text="x,t,u,run\n0,0,1,a\n0,1,1,\n", place="bad.csv:3:7")
        self.refused(2, "longer than 63 bytes", *words, text=f"x,t,u,run\n0,0,1,{'a' * 64}\n", place="bad.csv:2:7")
        many = "".join(f"0,0,1,{i}\n" for i in range(4097))
        self.refused(4, "more than 4096 groups", *words, text="x,t,u,run\n" + many)

    def test_fields_on_a_grid(self):
        """What the program wrote, and what NumPy would: nodes are measurements, what is not a number is none."""
        times, places = [0.1 * i for i in range(11)], [i / 8 for i in range(8)]
        values = [math.exp(-4 * math.pi ** 2 * 0.01 * t) * math.sin(2 * math.pi * (x - 0.4 * t)) for t in times for x in places]
        arrays = {"x": ((8,), places), "t": ((11,), times), "u": ((11, 8), values)}
        words = ("--unknown", "c", "--fixed", "D=0.01", "--noise", "u=0.02", "--no-check")
        npz(self.path / "whole.npz", arrays)
        code, whole = self.fit(*words, data="whole.npz")
        self.assertEqual((code, whole["measured"]), (0, 88))
        self.assertLess(abs(whole["unknowns"][0]["estimate"] - 0.4), 0.1 * whole["unknowns"][0]["error"])
        npz(self.path / "part.npz", {**arrays, "u": ((11, 8), [math.nan if i % 3 else v for i, v in enumerate(values)])})
        code, part = self.fit(*words, data="part.npz")
        self.assertEqual((code, part["measured"]), (0, 30))
        self.assertGreater(part["unknowns"][0]["error"], whole["unknowns"][0]["error"])
        if run("fit", "wave.pde", "--data", "good.csv", *words, "-o", "fit.nc", **self.settings).returncode != 4:  # has netCDF
            code, again = self.fit(*words, data="fit.nc")
            self.assertEqual(code, 0)
            self.assertLess(abs(again["unknowns"][0]["estimate"] - 0.4), 0.01)
            (self.path / "bad.nc").write_text("no netCDF")
            self.refused(8, "cannot read bad.nc", "--data", "bad.nc", *words)
        npz(self.path / "fields.npz", {**arrays, "u": ((8, 11), values)})
        self.refused(8, "'u' is not an array over the coordinates, t first", "--data", "fields.npz", *words)
        npz(self.path / "none.npz", {"x": arrays["x"], "t": arrays["t"]})
        self.refused(2, "none.npz has no value of any field of wave", "--data", "none.npz", *words)
        npz(self.path / "late.npz", {**arrays, "t": ((11,), [2 * t for t in times])})
        self.refused(2, "late.npz: t = 1.2 is outside the domain [0, 1]", "--data", "late.npz", *words)
        npz(self.path / "small.npz", arrays, zipfile.ZIP_DEFLATED)
        self.refused(4, "is compressed", "--data", "small.npz", *words)
        self.refused(2, "'run' to name the groups", "--data", "good.csv", "--group", "run", *words)

    def test_files_that_are_written(self):
        text = self.ok("fit", "wave.pde", "--data", "good.csv", "--unknown", "c", "--fixed", "D=0.01", "--no-check", "-o",
                       "fit.csv", "--figure", "fit.svg", "--next", 2, "--profile", **self.settings)
        self.assertIn("wrote      fit.svg", text)
        self.assertIn("x,t,field\n", text)
        self.assertTrue((self.path / "fit.csv").read_text().startswith("t,x,u"))
        self.write("few.csv", table(6))  # how many elements a point takes is cairo's affair
        self.ok("fit", "wave.pde", "--data", "few.csv", "--unknown", "c", "--fixed", "D=0.01", "--no-check", "--figure",
                "few.svg", **self.settings)
        many, few = ((self.path / name).stat().st_size for name in ("fit.svg", "few.svg"))
        self.assertGreater(many - few, 54 * 20)

    def refused(self, code, sentence, *words, text=None, place=""):
        if text is not None:
            self.write("bad.csv", text)
        error = self.fails(code, sentence, "fit", "wave.pde", *words, **self.settings)
        self.assertIn(place, error)

    def test_tables(self):
        words = ("--data", "bad.csv", "--unknown", "D,c")
        self.refused(2, "1e+200 is too large", *words, text="x,t,u\n0,0,1e200\n", place="bad.csv:2:5")
        self.refused(2, "the sum of squares is not a number", *words,
                     text="x,t,u,sigma_u\n0,0,1,1e-300\n0.5,0,1,1e-300\n0.2,0,1,1e-300\n")
        self.refused(8, "cannot open none.csv", "--data", "none.csv", "--unknown", "D,c")
        self.refused(2, "no measured value", *words, text="x,t,u\n")
        self.refused(2, "outside the domain [0, 1]", *words, text="x,t,u\n0,0,1\n0.5,1.5,1\n", place="bad.csv:3:5")
        self.refused(2, "nan is not a finite number", *words, text="x,t,u\n0,0,nan\n", place="bad.csv:2:5")
        self.refused(2, "'abc' is not a number", *words, text="x,t,u\n0,abc,1\n", place="bad.csv:2:3")
        self.refused(2, "column 'w' is neither", *words, text="x,t,w\n0,0,1\n", place="bad.csv:1:5")
        self.refused(2, "positive number, not 0", *words, text="x,t,u,sigma_u\n0,0,1,0\n", place="bad.csv:2:7")
        self.refused(2, "positive number, not -1", *words, text="x,t,u,sigma_u\n0,0,1,-1\n", place="bad.csv:2:7")
        self.refused(2, "1 measured value cannot determine 2", *words, text="x,t,u\n0,0,1\n")
        (self.path / "bad.csv").write_bytes(b"x,t,u\n\x00\xff\xfe,0,1\n")
        self.refused(2, "zero byte", *words)

    def test_files_that_fail(self):
        words = ("--unknown", "D,c", "--noise", "u=0.02", "--no-check")
        self.refused(8, "cannot read /proc/self/mem: Input/output error", "--data", "/proc/self/mem", *words)
        self.refused(8, "cannot read .: Is a directory", "--data", ".", *words)
        self.refused(8, "none", "--data", "good.csv", *words, "-o", "none/fields.nc")
        for option, name in (("-o", "fields.nc"), ("--figure", "fit.svg"), ("--save", "fit.solver")):
            done = run("fit", "wave.pde", "--data", "good.csv", *words, option, name, preexec_fn=disk_of(100), **self.settings)
            self.assertEqual((done.returncode, done.stdout), (8, ""), (option, done.stderr))
            self.assertIn(name, done.stderr)
            self.assertFalse((self.path / name).exists())
        with open("/dev/full", "w") as full:
            done = subprocess.run([ANSATZ, "fit", "wave.pde", "--data", "good.csv", *words, "--json"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, cwd=self.path)
        self.assertEqual(done.returncode, 8, done.stderr)

    def test_requests(self):
        data = ("--data", "good.csv")
        self.refused(2, "nothing is sought", *data)
        self.refused(2, "fit needs --data", "--unknown", "D")
        self.refused(2, "'c' is neither sought nor fixed", *data, "--unknown", "D")
        self.refused(2, "'k' is not a coefficient or parameter", *data, "--unknown", "k")
        self.refused(2, "noise: 'w' is not a field", *data, "--unknown", "D,c", "--noise", "w=1")
        self.refused(8, "cannot open none", *data, "--unknown", "D,c", "--model", "none")
        structured = WAVE.replace("[0, 1]\nequation", "[0, 1] optional\nequation") + "structure still without c\n"
        self.write("wave.pde", structured.replace("case slow: D", "structure moving\ncase slow moving: D"))
        self.refused(2, "has no such coefficient", *data, "--unknown", "c", "--fixed", "D=0.01", "--structure", "still")

    def test_a_problem_without_initial_values(self):
        self.write("plasma.csv", "xi,tau,N\n0.3,0.2,0.1\n0.4,0.5,0.2\n")
        self.fails(4, "and N has none", "fit", "ccp", "--data", "plasma.csv", "--unknown", "V0", "--fixed", "R0=2e20", "--noise",
                   "N=0.1", **self.settings)

    def test_many_rows_are_read_in_little_memory(self):
        import resource
        with open(self.path / "many.csv", "w") as file:
            file.write("x,t,u\n")
            line = "0.123456789,0.5,0.4\n" * 1000
            for _ in range(1000):
                file.write(line)
            file.write("0,7,1\n")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
        done = run("fit", "wave.pde", "--data", "many.csv", "--unknown", "D,c", "--threads", 1, preexec_fn=limit, **self.settings)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("many.csv:1000002:3", done.stderr)


main()
