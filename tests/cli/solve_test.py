# SPDX-License-Identifier: Apache-2.0
"""`ansatz solve` and `ansatz eval`: one equation, many, from a model and from scratch, and how they refuse."""
import csv
import io
import json
import math
import pathlib
import re
import tempfile
import zipfile

from program import ROOT, ProgramTest, disk_of, main, run, run_until_it_steps
from small import SMALL


class Solving(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.family, cls.model, cls.solver = (cls.folder / name for name in ("small.pde", "small.safetensors", "one.solver"))
        cls.family.write_text(SMALL)
        assert run("train", cls.family, "-o", cls.model, "--quiet").returncode == 0
        assert run("solve", cls.model, "--case", "one", "--save", cls.solver, "--quiet").returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def solve(self, *words):
        if "--threads" not in words:
            words = (*words, "--threads", 1)
        return self.json("solve", self.model, "--json", *words)


class One(Solving):
    def test_numbers_of_a_checked_solution(self):
        told = self.solve("--case", "one", "--check", "--steps", 300, "--evaluate", 100, "--method", "adam")
        self.assertEqual((told["method"], told["unknowns"], told["frame"]), ("adam", "all", "fixed"))
        self.assertEqual((told["structure"], told["structure_trained"], told["values_outside"]), ("both", False, 0))
        self.assertEqual(told["values"], {"a": 0.7, "D": 0.05})
        self.assertEqual(told["steps"], 300)
        self.assertEqual([look["step"] for look in told["looks"]], [0, 100, 200, 300])
        self.assertLess(told["error_mean"], 0.8 * told["error_initial"])
        self.assertLess(told["residual"], told["residual_initial"] / 2)
        self.assertAlmostEqual(told["error"]["u"], told["error_mean"])
        self.assertGreater(told["seconds"], 0)

    def test_gauss_newton_is_the_default(self):
        for words in ((), ("--from-scratch",)):
            told = self.solve("--case", "one", "--check", "--evaluate", 1, *words)
            self.assertEqual([look["step"] for look in told["looks"]], list(range(told["steps"] + 1)))
            self.assertEqual((told["method"], told["unknowns"], told["time_weight"]), ("gauss_newton", "tangent", 0))
            self.assertEqual(told["frame"], "moving")
            self.assertLess(told["error_mean"], 1e-3)
            self.assertLess(told["steps"], 100)
            self.assertTrue(told["stopped"])
        done = run("solve", self.model, "--case", "one", "--from-scratch", "--time-weight", 2)
        self.assertIn("Gauss-Newton", done.stdout)
        self.assertIn("time weight 2", done.stdout)
        self.assertIn("moving frame", done.stdout)
        self.fails(2, "--method", "solve", self.model, "--method", "newton")

    def test_a_model_guesses_at_rest_and_is_adapted_in_the_moving_frame(self):
        guess = self.solve("--case", "one", "--check", "--steps", 0)
        told = self.solve("--case", "one", "--check", "--steps", 6)
        self.assertEqual((guess["frame"], told["frame"]), ("fixed", "moving"))
        self.assertEqual(guess["error_mean"], told["error_initial"])
        adam = self.solve("--case", "one", "--check", "--steps", 0, "--method", "adam")
        self.assertAlmostEqual(adam["error_mean"], guess["error_mean"], 6)

    def test_text_says_the_same(self):
        done = run("solve", self.model, "--case", "one", "--check", "--method", "adam")
        self.assertEqual(done.returncode, 0)
        self.assertIn("never seen in training; every value lies in its trained range", done.stderr)
        for word in ("before", "after", "held-out residual", "error of u", "60 steps"):
            self.assertIn(word, done.stdout)

    def test_every_answer_has_an_estimate(self):
        told = self.solve("--case", "one", "--check", "--steps", 40, "--method", "adam")
        self.assertTrue(told["trusted"])
        self.assertIsNone(told["trust_reason"])
        self.assertAlmostEqual(told["estimate_mean"] / told["error_mean"], 1, delta=0.01)
        self.assertAlmostEqual(told["estimate_over_error"], told["estimate_mean"] / told["error_mean"])
        self.assertEqual(told["estimate"], {"u": told["estimate_mean"]})
        self.assertFalse(told["corrected"])
        text = self.ok("solve", self.model, "--case", "one", "--steps", 40, "--quiet")
        self.assertIn("estimated error", text)
        self.assertIn("verdict    trusted", text)

    def test_a_condition_that_is_made_soft_is_reported(self):
        path = self.folder / "corner.pde"
        path.write_text("coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = u_xx\ninitial u = x\n"
                        "boundary u at x = 0: u = 1\nboundary u at x = 1: u = 1\n")
        done = run("solve", path, "--from-scratch", "--steps", 1)
        self.assertIn("boundary u at x = 0: u = 1 soft weight 1: it contradicts another condition", done.stderr)
        self.assertNotIn("boundary u at x = 1", done.stderr)

    def test_what_has_no_estimate_says_why(self):
        told = self.json("solve", ROOT / "models/ccp-vector.safetensors", "--case", "R2.0", "--steps", 0, "--json")
        self.assertFalse(told["trusted"])
        self.assertIsNone(told["estimate"])
        self.assertIn("time is periodic", told["trust_reason"])
        words = ["solve", ROOT / "models/ccp-vector.safetensors", "--case", "R2.0", "--steps", 0, "--quiet"]
        self.assertIn("no estimate of the error: time is periodic", self.ok(*words))
        path = self.folder / "ccp.csv"
        done = run(*words, "--correct", "-o", path)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot be corrected: time is periodic", done.stderr)
        self.assertIn("no estimate of the error", done.stdout)
        self.assertFalse(path.exists())

    def test_corrected_fields_are_better_and_labelled(self):
        table, archive, figure = (self.folder / name for name in ("c.csv", "c.npz", "c.svg"))
        told = self.solve("--case", "one", "--check", "--steps", 10, "--correct", "-o", table, "--figure", figure)
        self.assertTrue(told["corrected"])
        self.assertLess(told["corrected_error_mean"], 1e-4 * told["error_mean"])
        self.assertEqual(table.read_text().splitlines()[0], "t,x,u_corrected")
        self.assertTrue(figure.exists())
        self.solve("--case", "one", "--steps", 10, "--correct", "-o", archive)
        with zipfile.ZipFile(archive) as zipped:
            self.assertIn(b"corrected by the defect equation", zipped.read("ansatz_settings.npy"))
        plain = self.solve("--case", "one", "--steps", 10, "--figure", figure, "--error-map")
        self.assertEqual(plain["figure"], str(figure))

    def test_a_tolerance_that_is_met_stops_the_run(self):
        for method, stride in (("adam", 50), ("gauss_newton", 1)):
            told = self.solve("--case", "one", "--check", "--tolerance", 0.05, "--seconds", 600, "--method", method)
            self.assertTrue(told["tolerance_met"])
            self.assertTrue(told["stopped"])
            self.assertLess(told["error_mean"], 0.05 * 1.01)
            self.assertEqual(told["steps"] % stride, 0)
            loose = self.solve("--case", "one", "--tolerance", 1, "--method", method)
            self.assertTrue(loose["tolerance_met"])
            self.assertLess(loose["steps"], told["steps"])

    def test_a_tolerance_that_is_missed_is_said_and_the_best_is_written(self):
        path = self.folder / "best.csv"
        words = ["solve", self.model, "--case", "one", "--tolerance", 1e-5, "--quiet", "-o", path, "--method", "adam"]
        done = run(*words, "--steps", 120, "--json")
        self.assertEqual(done.returncode, 7)
        self.assertIn("the tolerance 1e-05 is not met", done.stderr)
        self.assertIn("--steps", done.stderr)
        self.assertFalse(json.loads(done.stdout)["tolerance_met"])
        self.assertTrue(path.exists())
        done = run(*words, "--seconds", 0.05)
        self.assertEqual(done.returncode, 7)
        self.assertIn("--seconds", done.stderr)

    def test_tolerances_that_make_no_sense(self):
        for tolerance in ("0", "-1", "nan", "x"):
            self.fails(2, "--tolerance", "solve", self.model, "--case", "one", "--tolerance", tolerance)
        self.fails(2, "below what 32 bits can give", "solve", self.model, "--case", "one", "--tolerance", 1e-7, "--precision", 32,
                   "--quiet")
        done = run("solve", self.model, "--case", "one", "--tolerance", 1e-7, "--steps", 1)
        self.assertEqual(done.returncode, 7)
        self.assertIn("needs double precision", done.stderr)
        self.fails(4, "needs an estimate of the error", "solve", ROOT / "models/ccp-vector.safetensors", "--case", "R2.0",
                   "--tolerance", 0.1, "--quiet")

    def test_files_say_which_member_they_hold(self):
        path = self.folder / "member.npz"
        told = self.solve("--case", "one", "--set", "a=0.6", "--steps", 3, "-o", path)
        self.assertEqual(told["equation"], "one, a=0.6")
        with zipfile.ZipFile(path) as archive:
            self.assertIn(b"both: a=0.6,D=0.05; neural solver after 3 steps", archive.read("ansatz_settings.npy"))

    def test_a_file_that_cannot_be_written_costs_no_report(self):
        fields = self.folder / "large.csv"
        done = run("solve", self.model, "--case", "one", "--steps", 2, "--grid", "x=99,t=99", "-o", fields, "--save",
                   self.folder / "kept.solver", "--json", "--quiet", preexec_fn=disk_of(20000))
        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, told["steps"], "output" in told, "save" in told), (8, 2, False, True), done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertFalse(fields.exists())

    def test_the_error_against_nothing_is_that_of_a_node(self):
        text = "".join(line + "\n" for line in SMALL.splitlines() if not line.startswith("initial"))
        family, errors = self.folder / "zero.pde", []
        for points, times in ((32, 11), (64, 41)):
            family.write_text(text.replace("points 32, times 11", f"points {points}, times {times}") + "initial u = 0\n")
            errors.append(self.json("solve", family, "--from-scratch", "--case", "one", "--steps", 0, "--check", "--json")["error"]["u"])
        self.assertAlmostEqual(errors[0] / errors[1], 1, delta=0.05)

    def test_four_coordinates_have_a_modest_grid(self):
        family, fields = self.folder / "four.pde", self.folder / "four.npz"
        family.write_text("".join(f"coordinate {c} in [0, 1) periodic\n" for c in "xyz") + """coordinate t in [0, 1] time
field u
equation u: u_t = u_xx + u_yy + u_zz
initial u = sin(2*pi*x)
case only:
network width 8, layers 1
""")
        self.ok("solve", family, "--from-scratch", "--case", "only", "--steps", 0, "--grid", "x=2,y=2,t=2", "-o", fields, "--quiet")
        with zipfile.ZipFile(fields) as archive:
            self.assertIn(b"(32,)", archive.read("z.npy")[:128])

    def test_an_adaptation_that_made_it_worse_says_so(self):
        done = run("solve", self.family, "--from-scratch", "--case", "one", "--rate", 100, "--steps", 60, "--json", "--method", "adam")
        told = json.loads(done.stdout)
        self.assertGreater(told["residual"], 2 * told["residual_initial"])
        self.assertIn("this is not a solution", done.stderr)

    def test_the_table_tells_what_json_tells(self):
        words = ("solve", self.family, "--from-scratch", "--case", "one", "--method", "adam", "--steps", 60, "--evaluate", 20)
        told, text = self.json(*words, "--json"), run(*words).stdout
        before, after = re.search(r"^held-out residual +(\S+) +(\S+)$", text, re.M).groups()
        self.assertEqual((before, after), (f"{told['residual_initial']:.3e}", f"{told['residual']:.3e}"))
        self.assertNotEqual(before, after)
        looks = re.findall(r"^ +(\d+) +(\S+)$", text, re.M)
        self.assertEqual((looks[0][1], looks[-1][1]), (before, after))

    def test_same_numbers_for_any_threads(self):
        one, two = (self.solve("--case", "one", "--threads", threads) for threads in (1, 2))
        self.assertEqual(one["residual"], two["residual"])

    def test_a_derivative_after_many_soft_values_is_seen(self):
        fields = [f"u{i}" for i in range(1, 9)]
        values = [f"boundary {u} at {c} = {at}: {u} = 0 soft" for c in "xyzw" for at in (0, 1) for u in fields]
        slope = ["boundary u1 at x = 0: u1_x = 100 soft"]
        head = [f"coordinate {c} in [0, 1]" for c in "xyzw"] + ["field " + ", ".join(fields)]
        head += [f"equation {u}: {u}_xx + {u}_yy + {u}_zz + {u}_ww = 0" for u in fields]
        head += ["network width 4, layers 1", "adapt steps 0, points 8, boundary 4"]
        residuals = []
        for conditions in (slope + values, values + slope):
            self.family.with_name("many.pde").write_text("\n".join(head + conditions) + "\n")
            residuals.append(self.json("solve", self.folder / "many.pde", "--from-scratch", "--json", "--quiet", "--steps", 0)["residual"])
        self.assertGreater(residuals[0], 1000)
        self.assertAlmostEqual(residuals[1] / residuals[0], 1, delta=1e-5)

    def test_from_scratch_needs_no_model(self):
        told = self.json("solve", self.family, "--from-scratch", "--set", "a=0.7", "--json", "--method", "adam")
        self.assertEqual((told["structure"], told["from_scratch"], told["steps"]), ("moving", True, 60))
        self.assertNotIn("structure_trained", told)
        self.fails(2, "--from-scratch", "solve", self.family, "--case", "one")

    SWING = ("coordinate t in [0, 12] time\nfield u, v\nequation u: u_t = v\nequation v: v_t = -u\ninitial u = 1\n"
             "initial v = 0\nnetwork width 8, layers 1\n")

    def test_a_thin_layer_is_followed_from_a_thick_one(self):
        done = run("solve", "-", "--from-scratch", "--check", "--json", "--threads", 1, "--seconds", 300, input=(
            "coordinate x in [-10, 2]\nfield y\nequation y: y_xx - x*y = 0\nboundary y at x = -10: y = 0.04\n"
            "boundary y at x = 2: y = 0.0349\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([a["what"] for a in found["attempts"] if a["kept"]], ["layers made thin by steps"])
        self.assertGreater(found["attempts"][0]["estimate"], 0.5)
        self.assertLess(found["error_mean"], 1e-3)

    def test_further_attempts_are_made_and_told(self):
        words = ("solve", "-", "--from-scratch", "--threads", 1, "--seconds", 300)
        done = run(*words, "--json", input=self.SWING)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["attempts"][0]["what"], "one network")
        kept = [attempt for attempt in told["attempts"] if attempt["kept"]]
        self.assertEqual(len(kept), 1)
        self.assertEqual(kept[0]["windows"], told["windows"])
        self.assertLessEqual(kept[0]["estimate"], min(a["estimate"] for a in told["attempts"] if a["finished"]))
        lines = [line for line in run(*words, "--attempts", 2, input=self.SWING).stdout.splitlines()
                 if re.search(r", [\d.]+ s( \(kept\))?$", line)]
        self.assertEqual([line[:11] for line in lines], ["tried      ", " " * 11])
        self.assertTrue(lines[0][11:].startswith("one network: estimate "), lines)
        self.assertEqual(sum(line.endswith("(kept)") for line in lines), 1)
        alone = run(*words, "--json", "--attempts", 1, input=self.SWING)
        self.assertEqual((json.loads(alone.stdout)["attempts"], json.loads(alone.stdout)["windows"]), ([], 1))

    def test_an_answer_that_is_none_has_an_exit_code(self):
        """Too little time for a step, and a solution that ends before its time: told, and nothing is lost."""
        path = self.folder / "late.solver"
        late = run("solve", "-", "--from-scratch", "--threads", 1, "--seconds", 0.001, "--save", path, input=self.SWING)
        self.assertEqual(late.returncode, 7, late.stderr)
        self.assertIn("this is not a solution", late.stderr)
        self.assertTrue(path.exists())
        burst = ("coordinate t in [0, 2] time\nfield u\nequation u: u_t = u^2\ninitial u = 1\nnetwork width 8, layers 1\n")
        done = run("solve", "-", "--from-scratch", "--threads", 1, "--seconds", 20, input=burst)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("grows without bound near t = 1", done.stderr)
        self.assertNotIn("nan", done.stdout.lower())

    CHAOS = ("coordinate t in [0, 40] time\nfield u, v, w\nequation u: u_t = 10*(v - u)\nequation v: v_t = 28*u - v - u*w\n"
             "equation w: w_t = u*v - 8/3*w\ninitial u = 1\ninitial v = 1\ninitial w = 20\nnetwork width 8, layers 1\n"
             "adapt points 16\nreference times 5, relative 1e-4\n")

    def test_a_reference_that_fails_its_own_check_is_remarked(self):
        words = ("solve", "-", "--from-scratch", "--steps", 2, "--check", "--json", "--threads", 1)
        done = run(*words, input=self.CHAOS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["reference_self_check"], 1e-2)
        self.assertRegex(done.stderr, r"the reference itself changes by \S+ at half the points or time steps; errors against it mean little")
        self.assertEqual(run(*words, "--quiet", input=self.CHAOS).stderr, "")
        none = run(*words, input="coordinate t in [0, 1] time\nfield u\nequation u: u_t = -u\ninitial u = 1\nnetwork width 8, "
                   "layers 1\nadapt points 16\nreference times 3, max_step 1.5e-5\n")
        self.assertIsNone(json.loads(none.stdout)["reference_self_check"])
        self.assertIn("no answer at half the points or other time steps", none.stderr)
        self.assertLess(self.solve("--case", "one", "--check")["reference_self_check"], 1e-6)
        (self.folder / "chaos.pde").write_text(self.CHAOS.replace("28*u", "r*u").replace("u, v, w\n", "u, v, w\ncoefficient r in [28, 30]\n"))
        (self.folder / "chaos.csv").write_text("r\n28\n29\n")
        many = ["solve", self.folder / "chaos.pde", "--from-scratch", "--targets", self.folder / "chaos.csv", "--steps", 2, "--check", "--quiet"]
        self.assertEqual(self.ok(*many).count("errors against it mean little"), 2)
        self.assertGreater(self.json(*many, "--json")["targets"][0]["reference_self_check"], 1e-2)

    BLOWS_UP = ("coordinate t in [0, 2] time\nfield u\ncoefficient a in [0.1, 2]\nequation u: u_t = a*u^2\ninitial u = 1\n"
                "network width 8, layers 1\nadapt points 16\nreference times 5\ncase one: a=1\n")

    def test_without_a_reference_it_is_solved_all_the_same(self):
        words = ("solve", "-", "--from-scratch", "--steps", 2, "--check", "--threads", 1)
        done = run(*words, "-o", self.folder / "b.csv", input=self.BLOWS_UP)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("there is no reference to compare with: the solution grew beyond", done.stderr)
        self.assertIn("held-out residual", done.stdout)
        self.assertNotIn("error of u", done.stdout)
        self.assertTrue((self.folder / "b.csv").exists())
        done = run(*words, "--json", input=self.BLOWS_UP)
        told = json.loads(done.stdout)
        self.assertIn("grew beyond", told["reference_failure"])
        self.assertNotIn("error", told)
        (self.folder / "blows.pde").write_text(self.BLOWS_UP)
        (self.folder / "blows.csv").write_text("a\n1\n0.2\n")
        many = ("solve", self.folder / "blows.pde", "--from-scratch", "--targets", self.folder / "blows.csv", "--steps", 2, "--check", "--quiet")
        done = run(*many)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(done.stdout.count("no reference: the solution grew beyond"), 1)
        rows = json.loads(run(*many, "--json").stdout)["targets"]
        self.assertEqual([row["ok"] for row in rows], [True, True])
        self.assertIn("grew beyond", rows[0]["reference_failure"])
        self.assertIn("error_mean", rows[1])

    def test_errors_against_zero_are_called_absolute(self):
        text = ("coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u, v\nequation u: u_t = 0.1*u_xx\n"
                "equation v: v_t = 0.1*v_xx\ninitial u = 0\ninitial v = sin(2*pi*x)\nnetwork width 8, layers 1\nadapt points 16\n"
                "reference points 16, times 5\n")
        words = ("solve", "-", "--from-scratch", "--steps", 2, "--check", "--threads", 1, "--quiet")
        told = run(*words, input=text).stdout
        self.assertIn("absolute error of u ", told)
        self.assertIn("\nerror of v ", told)
        self.assertEqual(json.loads(run(*words, "--json", input=text).stdout)["error_absolute"], ["u"])

    def test_modes_and_stopping(self):
        found = [self.solve("--case", "one", "--method", "adam", "--unknowns", mode) for mode in ("all", "codes", "tangent")]
        for told in found:
            self.assertLess(told["residual"], 0.96 * told["residual_initial"])
        self.assertEqual(len({told["residual"] for told in found}), 3)
        told = self.solve("--case", "one", "--method", "adam", "--rate", 1e-9, "--patience", 1, "--steps", 5000)
        self.assertEqual((told["stopped"], told["steps"]), (True, 200))

    def test_the_first_guess_is_step_zero(self):
        told = self.solve("--case", "one", "--steps", 0, "--check")
        self.assertEqual(told["error_mean"], told["error_initial"])
        self.assertEqual(len(told["looks"]), 1)

    def test_files(self):
        fields, figure, solver = (self.folder / name for name in ("f.csv", "f.svg", "f.solver"))
        self.solve("--case", "one", "-o", fields, "--grid", "x=8,t=5", "--figure", figure, "--save", solver)
        rows = [row for row in csv.reader(line for line in fields.read_text().splitlines() if not line.startswith("#"))]
        self.assertEqual(len(rows), 1 + 40)
        self.assertEqual(set(rows[0]), {"t", "x", "u"})
        self.assertIn("<svg", figure.read_text())
        x, t, u = (rows[0].index(name) for name in ("x", "t", "u"))
        first = [row for row in rows[1:] if float(row[t]) == 0]
        self.assertEqual(len(first), 8)
        for row in first:  # the initial value holds exactly
            self.assertAlmostEqual(float(row[u]), math.sin(2 * math.pi * float(row[x])), 5)
        points = self.folder / "later.csv"
        points.write_text("\n".join(",".join(row) for row in rows).replace("u", "before"))
        for row in csv.DictReader(io.StringIO(self.ok("eval", solver, "--points", points))):
            kept = next(old for old in rows[1:] if float(old[x]) == float(row["x"]) and float(old[t]) == float(row["t"]))
            self.assertAlmostEqual(float(row["u"]), float(kept[u]), 5)

    def test_precision(self):
        path = self.folder / "double.solver"
        self.solve("--case", "one", "--precision", 64, "--save", path)
        self.assertIn(b'"precision":"64"', path.read_bytes().replace(b": ", b":"))
        at = [self.json("eval", path, "--at", f"x=0.3,t={t}", "--json")["u"][0] for t in (0.499, 0.501)]
        slope = self.json("eval", path, "--at", "x=0.3,t=0.5", "--derivative", "u_t", "--json")["u_t"][0]
        self.assertAlmostEqual(slope, (at[1] - at[0]) / 0.002, 3)

    def test_paths_may_hold_any_bytes(self):
        paths = {option: self.folder / f"\udcfc{end}" for option, end in (("output", ".csv"), ("figure", ".svg"), ("save", ""))}
        told = self.solve("--case", "one", "--steps", 0, *(word for name in paths for word in ("--" + name, paths[name])))
        for name, path in paths.items():
            self.assertTrue(path.exists())
            self.assertEqual(told[name], str(path).replace("\udcfc", "?"))

    def test_values_outside_their_range(self):
        text = self.fails(2, "outside its", "solve", self.model, "--set", "a=3,D=0.05")
        self.assertIn("[0.5, 1]", text)
        told = self.solve("--set", "a=3,D=0.05", "--outside", "--steps", 5)
        self.assertEqual(told["values_outside"], 1)
        done = run("solve", self.model, "--set", "a=3,D=0.05", "--outside", "--steps", 5)
        self.assertIn("a = 3 lies outside its trained range [0.5, 1]", done.stderr)

    def test_the_residual_is_split_and_stands_beside_its_terms(self):
        path = self.folder / "wave.pde"
        path.write_text("coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u, v\nequation u: u_t = 1000*v\n"
                        "equation v: 0.001*v_t = 1e-6*u_xx\ninitial u = sin(pi*x)\ninitial v = 0\n"
                        "boundary u at x = 0: u = 0 soft\nboundary u at x = 1: u = 0\nnetwork width 8, layers 1\n")
        words = ["solve", path, "--from-scratch", "--steps", 8, "--quiet"]
        told = self.json(*words, "--json")
        parts = {part["of"]: part for part in told["residual_parts"]}
        # Not what is built into its field, whatever the units.
        self.assertEqual(list(parts), ["equation of u", "equation of v", "boundary u at x = 0: u = 0 soft weight 1"])
        for part in parts.values():
            self.assertTrue(0 < part["relative"] < 2 and 0 <= part["relative_initial"] < 20, part)
        self.assertLess(parts["equation of u"]["relative"], parts["equation of u"]["relative_initial"])
        text = self.ok(*words)
        self.assertRegex(text, r"  over its terms +\S+ +\S+  equation of u\n +\S+ +\S+  equation of v\n +\S+ +\S+  boundary u at x = 0")

    def test_terms_whose_squares_underflow_are_compared_all_the_same(self):
        told = {}
        for factor in ("1", "1e-170"):
            path = self.folder / "units.pde"
            path.write_text(f"coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\nequation u: {factor}*u_t = {factor}*0.05*u_xx\n"
                            "initial u = sin(2*pi*x)\nnetwork width 8, layers 1\n")
            told[factor] = self.json("solve", path, "--from-scratch", "--steps", 4, "--quiet", "--json")["residual_parts"][0]
        self.assertGreater(told["1"]["relative"], 0)
        for key in ("relative", "relative_initial"):
            self.assertAlmostEqual(told["1e-170"][key] / told["1"][key], 1, delta=1e-3)

    def test_a_field_that_varies_little_has_its_errors_beside_what_varies(self):
        path = self.folder / "warm.pde"
        path.write_text("coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = 0.1*u_xx\n"
                        "initial u = 300 + 50*sin(pi*x)\nboundary u at x = 0: u = 300\nboundary u at x = 1: u = 300\n"
                        "network width 8, layers 1\n")
        told = self.json("solve", path, "--from-scratch", "--steps", 1, "--check", "--json", "--quiet")
        # 50 sin(pi x) exp(-0.1 pi^2 t) about its mean, beside 300
        self.assertAlmostEqual(told["error"]["u"] / told["error_varying"]["u"], 0.036, delta=0.004)
        self.assertAlmostEqual(told["estimate"]["u"] / told["estimate_varying"]["u"], 0.036, delta=0.004)
        self.assertIn("  of what varies", self.ok("solve", path, "--from-scratch", "--steps", 1, "--quiet"))
        usual = self.solve("--case", "one", "--steps", 1, "--check")
        self.assertEqual((usual["error_varying"], usual["estimate_varying"]), ({}, {}))
        # Wrong in all that varies, though it is 5e-5 of the whole: no solution.
        stuck = self.folder / "stuck.pde"
        stuck.write_text("coordinate x in [0, 1]\ncoordinate t in [0, 4] time\nfield u\ninitial u = 60000\n"
                         "equation u: u_t = 0.01*u_xx + 60*sin(9*pi*x)*cos(7*t)\nboundary u at x = 0: u = 60000\n"
                         "boundary u at x = 1: u = 60000\nnetwork width 2, layers 1\n")
        done = run("solve", stuck, "--from-scratch", "--quiet")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, "this is not a solution: its estimated error is .* of what varies")

    def test_a_saved_solver_goes_on(self):
        whole, part, on = (self.folder / name for name in ("whole.solver", "part.solver", "on.solver"))
        self.solve("--case", "one", "--steps", 9, "--save", whole)
        first = self.solve("--case", "one", "--steps", 4, "--save", part)
        told = self.json("solve", part, "--steps", 5, "--check", "--save", on, "--evaluate", 2, "--json", "--quiet")
        self.assertEqual(whole.read_bytes(), on.read_bytes())
        self.assertEqual((told["steps_before"], told["steps"]), (4, 9))
        self.assertEqual([look["step"] for look in told["looks"]], [4, 6, 8, 9])
        self.assertEqual((told["structure"], told["values"]), (first["structure"], first["values"]))
        self.assertEqual(told["residual_initial"], first["residual"])
        self.assertLess(told["error_mean"], told["error_initial"])
        text = self.ok("solve", part, "--tolerance", 1e-4, "--quiet")
        self.assertRegex(text, r"adapted +\d+ more steps \(\d+ in all\) in .*, stopped because the estimated error")
        self.assertIn("(4 in all)", self.ok("solve", part, "--steps", 0, "--quiet"))
        # By Adam, at a rate that would ruin it: what was saved is what remains.
        adam = self.folder / "adam.solver"
        saved = self.solve("--case", "one", "--steps", 40, "--method", "adam", "--save", adam)
        told = self.json("solve", adam, "--steps", 60, "--rate", 10, "--json", "--quiet")
        self.assertEqual((told["residual"], told["steps"]), (saved["residual"], 100))

    def test_a_saved_solver_keeps_what_it_is(self):
        for words in (["--case", "one"], ["--set", "a=0.7,D=0.05"], ["--from-scratch"], ["--method", "adam"], ["--seed", 101],
                      ["--targets", self.folder / "rows.csv"]):
            self.fails(2, "cannot be used with it", "solve", self.solver, *words)
        self.fails(2, "the same file", "solve", self.solver, "--save", self.solver)
        long = self.folder / "long.pde"
        long.write_text("coordinate t in [0, 30] time\nfield u, v\nequation u: u_t = v\nequation v: v_t = -u\n"
                        "initial u = 1\ninitial v = 0\nnetwork width 16, layers 2\n")
        path = self.folder / "long.solver"
        run("solve", long, "--from-scratch", "--attempts", 2, "--seconds", 300, "--save", path, "--quiet")
        self.fails(4, "windows of time, which are adapted once: solve its equation again", "solve", path)
        self.assertGreater(self.json("solve", path, "--steps", 0, "--json", "--quiet")["windows"], 1)

    def test_refusals(self):
        self.fails(2, "D", "solve", self.model, "--structure", "both", "--set", "a=0.7")
        self.fails(2, "", "solve", self.model, "--set", "a=nan,D=0.05")
        self.fails(2, "", "solve", self.model, "--case", "nothing")
        self.fails(2, "--grid y=3", "solve", self.model, "--case", "one", "--grid", "y=3", "-o", self.folder / "no.nc")
        self.fails(2, "--grid x=16,,t=5", "solve", self.model, "--case", "one", "--grid", "x=16,,t=5", "-o", self.folder / "no.nc")
        self.fails(8, "", "solve", self.folder / "absent.safetensors", "--case", "one")

    def test_a_path_that_cannot_be_written_is_told_before_any_work(self):
        where = self.folder / "no/where"
        for code, sentence, *words in ((2, "one of nc|npz|csv", "-o", "out.txt"), (2, "one of png|svg|pdf", "--figure", "f.gif"),
                                       (8, "cannot write", "-o", f"{where}.csv"), (8, "cannot write", "--figure", f"{where}.svg"),
                                       (8, "cannot write", "--save", where), (8, "Is a directory", "--save", self.folder)):
            self.fails(code, sentence, "solve", self.model, "--case", "one", "--steps", 100000000, *words)

    def test_files_that_would_destroy_each_other_are_refused(self):
        before, table = self.model.read_bytes(), self.folder / "rows.csv"
        table.write_text("a,D\n0.7,0.05\n")
        for words in (["--save", self.model], ["--save", self.folder / "n.csv", "-o", self.folder / "n.csv"],
                      ["--save", self.folder / "n.svg", "--figure", self.folder / "n.svg"], ["--targets", table, "-o", table]):
            self.fails(2, "are the same file", "solve", self.model, "--steps", 100000000, *words)
        self.assertEqual((self.model.read_bytes(), table.read_text()), (before, "a,D\n0.7,0.05\n"))
        shipped = ROOT / "models/fisher-graph.safetensors"
        self.fails(2, "are the same file", "solve", "fisher-graph", "--case", "H1", "--steps", 100000000, "--save", shipped)
        self.fails(2, "are the same file", "show", self.family, "-o", self.family)
        self.fails(2, "are the same file", "reference", self.family, "-o", table, "--figure", table)

    def test_names_as_long_as_a_folder_takes_them(self):
        self.solve("--case", "one", "--steps", 0, "--save", self.folder / ("s" * 255), "-o", self.folder / ("f" * 251 + ".csv"))
        for words in (["--save", self.folder / ("s" * 256)], ["-o", self.folder / ("f" * 252 + ".csv")]):
            self.fails(8, "File name too long", "solve", self.model, "--case", "one", "--steps", 100000000, *words)

    def test_the_extension_may_be_in_capitals(self):
        for name in ("f.CSV", "f.SVG"):
            path = self.folder / name
            self.solve("--case", "one", "--steps", 0, "-o" if name == "f.CSV" else "--figure", path)
            self.assertTrue(path.exists())

    def test_an_interrupted_solution_is_kept(self):
        solver = self.folder / "early.solver"
        words = ["solve", self.model, "--case", "one", "--steps", "100000000", "--save", solver, "--threads", "1", "--json"]
        code, printed = run_until_it_steps(*words)
        told = json.loads(printed)
        self.assertEqual((code, told["interrupted"]), (130, True))
        self.assertGreater(told["steps"], 0)
        self.assertEqual(run("eval", solver, "--at", "x=0,t=0").returncode, 0)

    def test_a_damaged_model(self):
        damaged = self.folder / "damaged.safetensors"
        content = self.model.read_bytes()
        for place in (0, 3, 40, 600, len(content) // 2, len(content) - 1):
            changed = bytearray(content)
            changed[place] ^= 1
            damaged.write_bytes(changed)
            self.fails(5, "", "solve", damaged, "--case", "one")
            damaged.write_bytes(content[:place])
            self.fails(5, "", "solve", damaged, "--case", "one")


class Many(Solving):
    def test_every_target_has_its_own_stop(self):
        path = self.targets("name,a,D\nfirst,0.7,0.05\nlast,0.6,0.02\n")
        told = self.json("solve", self.model, "--targets", path, "--tolerance", 0.05, "--seconds", 600, "--json", "--quiet", "--check",
                         "--threads", 1)
        for row in told["targets"]:
            self.assertTrue(row["tolerance_met"])
            self.assertLess(row["error_mean"], 0.05 * 1.01)
            alone = self.solve("--structure", "both", "--set", dict(first="a=0.7,D=0.05", last="a=0.6,D=0.02")[row["name"]],
                               "--tolerance", 0.05, "--seconds", 600)
            self.assertEqual(alone["steps"], row["steps"])
        done = run("solve", self.model, "--targets", path, "--tolerance", 1e-8, "--steps", 20, "--quiet")
        self.assertEqual(done.returncode, 7)
        self.assertIn("2 of 2 targets miss the tolerance", done.stderr)

    def test_without_the_estimate(self):
        path, fields = self.targets("name,a,D\nfirst,0.7,0.05\nlast,0.6,0.02\n"), self.folder / "plain.csv"
        words = ["solve", self.model, "--targets", path, "--steps", 2, "-o", fields, "--grid", "x=4,t=3", "--quiet"]
        whole = self.json(*words, "--json")["targets"]
        values = fields.read_text()
        bare = self.json(*words, "--json", "--no-estimate")["targets"]
        self.assertEqual(fields.read_text(), values)
        self.assertTrue(all(row["trusted"] and row["estimate_mean"] > 0 for row in whole))
        for row in bare:
            self.assertEqual((row["estimate"], row["estimate_mean"], row["trusted"], row["trust_reason"]),
                             (None, None, False, "not estimated"))
        self.assertEqual([row["residual"] for row in bare], [row["residual"] for row in whole])
        self.assertTrue(all(row["residual_initial"] > row["residual"] for row in whole))
        self.assertEqual([row["residual_initial"] for row in bare], [None, None])
        self.assertEqual(self.ok(*words, "--no-estimate").count("(not estimated)"), 2)
        words[words.index("--steps") + 1] = 0
        for row in self.json(*words, "--json", "--no-estimate")["targets"]:
            self.assertEqual((row["ok"], row["steps"], row["residual_initial"], row["residual"]), (True, 0, None, None))
        self.assertEqual(self.ok(*words, "--no-estimate").count(" - "), 4)
        one = ["solve", self.model, "--case", "one", "--no-estimate"]
        self.assertIn("verdict    not estimated", self.ok(*one, "--from-scratch", "--quiet"))
        self.assertIsNone(self.json(*one, "--json", "--steps", 1, "--quiet")["estimate"])
        for other in (("--tolerance", 1), ("--attempts", 2), ("--correct", "-o", fields)):
            self.fails(2, "--no-estimate", *one, *other)

    def targets(self, text):
        path = self.folder / "targets.csv"
        path.write_text(text)
        return path

    def test_rows_are_solved_and_a_bad_one_stops_nothing(self):
        path = self.targets("# three of them\nname, a, D\nfirst, 0.7, 0.05\nbad, 7, 0.05\nlast, 0.6,\n")
        done = run("solve", self.model, "--targets", path, "--json", "--check", "--quiet", "--method", "adam")
        self.assertEqual(done.returncode, 2)
        first, bad, last = json.loads(done.stdout)["targets"]
        self.assertAlmostEqual(first["estimate_mean"] / first["error_mean"], 1, delta=0.01)
        self.assertTrue(first["trusted"])
        self.assertTrue(first["ok"] and last["ok"] and not bad["ok"])
        self.assertIn("outside its", bad["failure"])
        self.assertLess(first["residual"], first["residual_initial"])
        alone = self.solve("--case", "one", "--check", "--method", "adam")
        self.assertEqual((first["residual"], first["error"]), (alone["residual"], alone["error"]))

    def test_a_number_that_is_too_long_is_placed(self):
        path = self.targets(f"name,a,D\nfirst,0.7{61 * '0'},0.05\n{70 * 'n'},0.7{62 * '0'},0.05\n")
        done = run("solve", self.model, "--targets", path, "--json", "--quiet", "--steps", 1)
        good, bad = json.loads(done.stdout)["targets"]
        self.assertTrue(good["ok"] and not bad["ok"])
        self.assertEqual(bad["failure"], "line 3, column a: a number has at most 64 characters, not 65")

    def test_one_file_holds_all(self):
        path, fields = self.targets("a,D\n0.7,0.05\n0.8,0.02\n0.9,0.03\n"), self.folder / "all.csv"
        printed = self.ok("solve", self.model, "--targets", path, "--steps", 5, "-o", fields, "--grid", "x=4,t=3", "--quiet")
        self.assertEqual((len(printed.splitlines()), printed.splitlines()[-1]), (6, f"wrote {fields}"))
        rows = [line for line in fields.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(rows[0].split(",")[0], "target")
        self.assertEqual(len(rows), 1 + 3 * 12)

    def test_the_axis_of_the_rows_has_a_name_of_its_own(self):
        family = self.folder / "target.pde"
        family.write_text(SMALL.replace("u_", "target_").replace("field u", "field target").replace("n u:", "n target:").replace("initial u", "initial target"))
        words = ["solve", family, "--from-scratch", "--targets", self.targets("a,D\n0.7,0.05\n"), "--steps", 0, "--grid", "x=4,t=3", "--quiet"]
        for name in ("t.csv", "t.npz", "t.nc"):
            self.ok(*words, "-o", self.folder / name)
        rows = [line for line in (self.folder / "t.csv").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(sorted(rows[0].split(",")), ["t", "target", "target_", "x"])
        self.assertLessEqual({"t.npy", "target.npy", "target_.npy", "x.npy"}, set(zipfile.ZipFile(self.folder / "t.npz").namelist()))

    def test_a_table_costs_no_more_than_its_size(self):
        """As many names as rows: a place for each pair would take hundreds of gigabytes."""
        path = self.targets("a" + 300000 * "," + 300000 * "\n1")
        self.fails(8, "targets.csv:2: 1 cells where the first line has 300001 names", "solve", self.model, "--targets", path)

    def test_a_coefficient_that_no_column_can_give_is_refused(self):
        family = self.folder / "column.pde"
        for name in ("name", "structure"):
            family.write_text(SMALL.replace("coefficient a", f"coefficient {name}").replace("a*u_x", f"{name}*u_x").replace("a=0.7", f"{name}=0.7"))
            text = self.targets(f"{name},D\n0.7,0.05\n")
            self.fails(2, f"column {name}", "solve", family, "--from-scratch", "--targets", text, "--steps", 100000000)

    def test_a_row_whose_turn_never_came_is_no_success(self):
        path = self.targets("name,a,D\nfirst,0.7,0.05\nlast,0.8,0.02\n")
        words = ["solve", self.model, "--targets", path, "--steps", 100000000, "--threads", 1, "--method", "adam"]
        code, printed = run_until_it_steps(*words, "--json")
        told = json.loads(printed)
        first, last = told["targets"]
        self.assertEqual((code, told["interrupted"]), (130, True))
        self.assertTrue(first["ok"] and first["steps"] > 0)
        self.assertEqual(last, {"name": "last", "ok": False, "steps": 0, "failure": "not begun"})
        code, printed = run_until_it_steps(*words)
        self.assertEqual((code, printed.splitlines()[2].split()), (130, ["last", "not", "begun"]))

    def failures(self, text, *words):
        done = run("solve", self.model, "--targets", self.targets(text), "--steps", 0, "--json", *words)
        return done, [row.get("failure") for row in json.loads(done.stdout)["targets"]]

    def test_a_row_without_values_or_with_too_many_fails(self):
        for text in ("name\nfoo\nbar\n", "a,D\n,\n,\n"):
            done, failures = self.failures(text)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(set(failures)), 1)
            self.assertIn("no structure has exactly the assigned symbols", failures[0])
        names, numbers = ",".join(f"b{i}" for i in range(99)), ",".join("0." + 60 * "7" for i in range(99))
        done, failures = self.failures(f"a,D,{names}\n0.7,0.05,{99 * ','}\n0.7,0.05,{numbers}\n".replace(",\n", "\n", 1))
        self.assertEqual((done.returncode, failures), (2, [None, "the values of this row take more than 4095 bytes"]))

    def names(self, content):
        path = self.folder / "targets.csv"
        path.write_bytes(content)
        return [row["name"] for row in self.solve("--targets", path, "--steps", 0)["targets"]]

    def test_lines_may_end_as_any_machine_ends_them(self):
        for end in (b"\n", b"\r\n", b"\r"):
            self.assertEqual(self.names(end.join([b"# two", b"name,a,D", b"", b"p,0.7,0.05", b"q,0.8,0.02", b""])), ["p", "q"])
        self.assertIn(":3: 1 cells", self.fails(8, "", "solve", self.model, "--targets", self.targets("# x\ra,D\r1\r")))

    def test_a_doubled_quote_is_one(self):
        self.assertEqual(self.names(b'name,a,D\n"a""b",0.7,0.05\n"c"",""d" ,0.7,0.05\n"""",0.7,0.05\n"",0.7,0.05\n'),
                         ['a"b', 'c","d', '"', "4"])

    def test_a_table_without_rows_is_refused(self):
        for text in ("a,D\n", "a,D", "# none\na,D\n\n# here\n"):
            self.fails(8, "no rows", "solve", self.model, "--targets", self.targets(text), "-o", self.folder / "none.csv")

    def test_names_steer_no_terminal(self):
        path = self.folder / "targets.csv"
        path.write_bytes(b"name,a,D\n\x1b[31mred\xc2\x9b,0.7,0.05\nM\xc3\xbcller,0.7,0.05\n\x1b]0;bad\x07,7,0.05\n")
        done = run("solve", self.model, "--targets", path, "--steps", 0, "--quiet")
        red, umlaut, bad = done.stdout.splitlines()[1:4]
        self.assertTrue(red.startswith("?[31mred??" + " " * 15) and umlaut.startswith("M\u00fcller" + " " * 19), done.stdout)
        self.assertTrue(bad.startswith("?]0;bad? "))
        self.assertEqual(len(red), len(umlaut))
        self.assertFalse([c for c in done.stdout if ord(c) < 32 and c != "\n"])

    def test_names_may_hold_any_bytes(self):
        path = self.folder / "targets.csv"
        path.write_bytes(b"name,a,D\nm\xfcller,0.7,0.05\n\xe0\x80\x80\xed\xa0\x80,0.7,0.05\nM\xc3\xbcller\xc3,0.7,0.05\n")
        told = self.solve("--targets", path, "--steps", 0)
        self.assertEqual([row["name"] for row in told["targets"]], ["m?ller", "??????", "M\u00fcller?"])

    def test_rows_are_told_when_there_is_nothing_to_write(self):
        fields = self.folder / "none.csv"
        done, failures = self.failures("a,D\n7,0.05\n", "-o", fields)
        self.assertEqual(done.returncode, 2)
        self.assertIn("outside its", failures[0])
        self.assertIn("none.csv is not written: no row was solved", done.stderr)
        self.assertFalse(fields.exists())

    def test_errors_do_not_depend_on_the_grid_that_is_written(self):
        path, fields = self.targets("a,D\n0.7,0.05\n"), self.folder / "coarse.csv"
        words = ["--targets", path, "--check", "--steps", 5, "--quiet"]
        plain, = self.solve(*words)["targets"]
        coarse, = self.solve(*words, "--grid", "x=4,t=3", "-o", fields)["targets"]
        self.assertEqual(plain["error"], coarse["error"])
        self.assertEqual(len([line for line in fields.read_text().splitlines() if line[0] != "#"]), 1 + 12)

    def test_refusals(self):
        targets = self.targets("a,D\n0.7,0.05\n")
        for words in (["--case", "one"], ["--set", "a=0.7"], ["--structure", "both"], ["--evaluate", "5"]):
            self.fails(2, f"{words[0]} cannot be combined with --targets", "solve", self.model, "--targets", targets, *words)
        self.fails(8, "cells", "solve", self.model, "--targets", self.targets("a,D\n1\n"))
        self.fails(8, "", "solve", self.model, "--targets", self.folder / "absent.csv")


class Evaluating(Solving):
    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.ok("eval", self.solver, *words))))

    def test_values_and_derivatives(self):
        value, = self.rows("--at", "x=0.25,t=0")
        self.assertAlmostEqual(float(value["u"]), 1, 5)
        slope, = self.rows("--at", "t=0,x=0", "--derivative", "u_x")
        self.assertAlmostEqual(float(slope["u_x"]), 2 * math.pi, 3)
        curve = self.json("eval", self.solver, "--at", "x=0.25,t=0", "--derivative", "u_xx", "--json")
        self.assertAlmostEqual(curve["u_xx"][0], -4 * math.pi**2, 2)

    def test_derivatives_are_named_as_in_the_language(self):
        odd = self.folder / "odd.pde"
        odd.write_text("coordinate x in [0, 1) periodic\ncoordinate xt in [0, 1) periodic\ncoordinate tt in [0, 1] time\nfield u\n"
                       "equation u: u_tt = u_xx\ninitial u = sin(2*pi*x)\nnetwork width 8, layers 1\nadapt points 16, steps 1\n")
        self.ok("solve", odd, "--from-scratch", "--structure", "full", "--quiet", "--save", self.folder / "odd.solver")
        at = ["--at", "x=0,xt=0,tt=0", "--derivative"]
        self.assertTrue(self.ok("eval", self.folder / "odd.solver", *at, "u_xtt").startswith("x,xt,tt,u_xtt\n"))
        self.fails(2, "no derivative", "eval", self.folder / "odd.solver", *at, "u_t")
        self.fails(2, "no derivative", "eval", self.folder / "odd.solver", *at, "u_")

    def test_points_of_a_file(self):
        path = self.folder / "points.csv"
        path.write_text("t,x,remark\n0,0.25,top\n0,0.75,bottom\n")
        top, bottom = self.rows("--points", path)
        self.assertAlmostEqual(float(top["u"]), 1, 5)
        self.assertAlmostEqual(float(bottom["u"]), -1, 5)

    def test_cells_that_are_no_number_are_placed(self):
        path = self.folder / "points.csv"
        long, longer = "0." + 62 * "1", "0." + 63 * "1"
        path.write_text(f"# points\nt,x\n0,{long}\n")
        self.assertAlmostEqual(float(self.rows("--points", path)[0]["x"]), 1 / 9, 12)
        path.write_text(f"# points\nt,x\n0,0.25\n\n0,{longer}\n")
        self.fails(2, "points.csv:5: column x: a number has at most 64 characters, not 65", "eval", self.solver, "--points", path)
        path.write_text("# points\nt,x\nhalf,0.25\n")
        self.fails(2, 'points.csv:3: column t: "half" is not a number', "eval", self.solver, "--points", path)

    def test_values_of_a_point_are_numbers(self):
        for wrong in ("x=,t=0", "x=0.25,t=half", f"x=0.{64 * '1'},t=0", "x=nan,t=0", "x 0.25,t=0"):
            self.fails(2, "expected a coordinate and its value, like x=0.25", "eval", self.solver, "--at", wrong)

    def test_points_as_a_spreadsheet_writes_them(self):
        path = self.folder / "points.csv"
        path.write_bytes(b'\xef\xbb\xbf"t","x","remark, if any"\r\n"0", "0.25" ,"top, left"\r\n0,0.75,bottom\r\n')
        self.assertEqual([row["x"] for row in self.rows("--points", path)], ["0.25", "0.75"])

    def test_what_is_not_finite_is_told(self):
        fixed = self.folder / "fixed.solver"  # a moving frame would bring x back into its period
        self.ok("solve", self.model, "--case", "one", "--method", "adam", "--steps", 1, "--quiet", "--save", fixed)
        done = run("eval", fixed, "--at", "x=1e308,t=0.5")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (6, 2))
        self.assertIn("u is not finite at x = 1e+308, t = 0.5", done.stderr)
        done = run("eval", fixed, "--at", "x=1e308,t=0.5", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["u"]), (6, [None]))

    def test_an_extrapolation_is_remarked_once(self):
        path = self.folder / "points.csv"
        path.write_text("t,x\n1,7\n1.5,0\n-1,0\n")
        done = run("eval", self.solver, "--points", path)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 4))
        self.assertIn("points outside the problem's domain: 2 of 3, the first at x = 0, t = 1.5;", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.ok("eval", self.solver, "--points", path, "--quiet")

    def test_refusals(self):
        self.fails(2, "either", "eval", self.solver)
        self.fails(8, "cannot open", "eval", self.solver, "--points", self.folder / "absent.csv")
        for number in ("inf", "nan", "1e999"):
            self.fails(2, f"not 'x={number}'", "eval", self.solver, "--at", f"x={number},t=0")
        self.fails(2, "t has no value", "eval", self.solver, "--at", "x=0.5")
        self.fails(2, "not ''", "eval", self.solver, "--at", "x=0.5,,t=0")
        self.fails(2, "y=1", "eval", self.solver, "--at", "x=0.5,y=1")
        self.fails(2, "u_q", "eval", self.solver, "--at", "x=0.5,t=0", "--derivative", "u_q")
        self.fails(2, "order", "eval", self.solver, "--at", "x=0.5,t=0", "--derivative", "u_xxxxx")
        self.fails(5, "model", "eval", self.model, "--at", "x=0.5,t=0")


main()
