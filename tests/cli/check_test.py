# SPDX-License-Identifier: Apache-2.0
"""`ansatz check`: sound files pass, and each kind of unsound file is named for what it is."""
import json
import pathlib
import re
import tempfile

from program import ROOT, ProgramTest, main, run
from small import SMALL

TINY = """
network width 8, layers 1
train steps 10, points 16
adapt steps 10, points 16
reference points 32, times 11
"""
PERIODIC = "coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
INTERVAL = "coordinate x in [0, 1]\ncoordinate t in [0, 1] time\nfield u\n"


class Check(ProgramTest):
    def check(self, text, *words):
        """Exit code, and what it found as a list of (kind, text)."""
        done = run("check", "-", "--json", "--threads", 1, *words, input=text + TINY)
        self.assertEqual(done.stderr, "")
        told = json.loads(done.stdout)
        return done.returncode, [(finding["kind"], finding["text"]) for finding in told["findings"]], told

    def finds(self, kind, sentence, text):
        code, findings, _ = self.check(text)
        self.assertTrue(any(found == kind and sentence in told for found, told in findings), findings)
        self.assertEqual(code, 3 if kind == "wrong" else 0)
        return findings

    def test_sound_files(self):
        for name in ("heat", "rod", "burgers", "three-species"):
            told = self.json("check", ROOT / f"families/{name}.pde", "--json", "--threads", 1)
            self.assertEqual([f for f in told["findings"] if f["kind"] != "note"], [], name)
            self.assertTrue(told["training"]["ok"] and told["adaptation"]["ok"])
            self.assertGreater(told["training"]["seconds"], 0)
            self.assertTrue(all(s["reference"].endswith("BDF") for s in told["structures"]))

    def test_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "small.pde"
            path.write_text(SMALL)
            told = self.ok("check", path, "--threads", 1)
        self.assertRegex(told, r"moving +0  Fourier-BDF")
        self.assertRegex(told, r"both \(held\) +1  Fourier-BDF")
        self.assertRegex(told, r"\ntraining +\S+ ms per step; 60 steps take about ")
        self.assertRegex(told, r"\nadaptation +\S+ ms per Gauss-Newton step; stops by itself after at most \d+")
        self.assertIn("\nnote      structure moving has no case\n", told)
        self.assertTrue(told.endswith("\nNothing looks wrong.\n"))

    def test_units_far_from_one_are_doubtful(self):
        text = PERIODIC + "equation u: u_t = 0.05*u_xx + 5e20*sin(2*pi*x)\ninitial u = 1e21\ncase only:\n"
        self.finds("doubtful", "choose units in which", text)

    def test_a_starter_is_sound(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.pde"
            self.ok("new", path, "--quiet")
            self.assertIn("Nothing looks wrong.", self.ok("check", path, "--threads", 1))

    # ---- Ranges ----

    def test_pole_inside_a_range(self):
        self.finds("wrong", "grows without bound near c = 0.3", PERIODIC + "coefficient c in [0, 1]\nlet k = 1/(c - 0.3)\n"
                   "equation u: u_t + k*u_x = 0\ninitial u = sin(2*pi*x)\n")

    def test_no_value_at_the_end_of_a_range(self):
        self.finds("wrong", "at c = 0: 'k' has no finite value", PERIODIC + "coefficient c in [0, 1]\nlet k = 1/c\n"
                   "equation u: u_t + k*u_x = 0\ninitial u = sin(2*pi*x)\n")

    def test_no_value_at_a_corner(self):
        self.finds("wrong", "at a corner of the ranges: 'k' has no finite value", PERIODIC
                   + "coefficient b, c in [0.1, 1]\nlet k = sqrt(b + c - 0.3)\nequation u: u_t + k*u_x = 0\n"
                   "initial u = sin(2*pi*x)\n")

    def test_large_but_finite_coefficients_pass(self):
        _, findings, _ = self.check(PERIODIC + "coefficient c in [1e-4, 1] log\nlet k = 0.001/c\n"
                                    "equation u: u_t + k*u_x = 0\ninitial u = sin(2*pi*x)\n")
        self.assertEqual([found for found in findings if found[0] == "wrong"], [])

    def test_source_with_a_pole(self):
        self.finds("wrong", "grows without bound near x = 0.3", INTERVAL + "coefficient D in [0.1, 1]\n"
                   "equation u: u_t = D*u_xx + 1/(x - 0.3)\ninitial u = 0\nboundary u at x = 0: u = 0 soft\n"
                   "boundary u at x = 1: u = 0 soft\n")

    # ---- Conditions ----

    def test_initial_value_that_is_not_periodic(self):
        self.finds("doubtful", "x is periodic, but the initial value of u is 0 at x = 0 and 1 at x = 1",
                   PERIODIC + "coefficient D in [0.1, 1]\nequation u: u_t = D*u_xx\ninitial u = x\n")

    def test_initial_value_with_a_kink(self):
        self.finds("doubtful", "slope of the initial value of u jumps",
                   PERIODIC + "coefficient D in [0.1, 1]\nequation u: u_t = D*u_xx\ninitial u = x*(1 - x)\n")

    def test_boundary_against_initial_value(self):
        text = (INTERVAL + "coefficient D in [0.1, 1]\nequation u: u_t = D*u_xx\ninitial u = sin(pi*x)\n"
                "boundary u at x = 0: u = {} soft\nboundary u at x = 1: u_x = {} soft\n")
        self.finds("doubtful", "the boundary at x = 0 asks for u = 1, where the initial value has 0", text.format("1", "-pi"))
        self.finds("doubtful", "the boundary at x = 1 asks for u_x = 0, where the initial value has -3.14", text.format("t", "0"))
        _, findings, _ = self.check(text.format("t", "-pi*cos(t)"))
        self.assertFalse([told for _, told in findings if "boundary" in told], findings)

    def test_an_unknown_initial_value(self):
        findings = self.finds("note", "the initial value of u is unknown: only `ansatz fit` can use this problem",
                              INTERVAL + "coefficient D in [0.1, 1]\nequation u: u_t = D*u_xx\ninitial u unknown\n"
                              "boundary u at x = 0: u = 1\nboundary u at x = 1: u = 0\n")
        self.assertFalse([told for kind, told in findings if kind != "note"], findings)

    # ---- Sizes ----

    def test_terms_of_different_size(self):
        findings = self.finds("doubtful", "times smaller than", PERIODIC + "coefficient D in [1e-9, 1e-8] log\n"
                              "coefficient a in [0.5, 1]\nequation u: u_t + a*u_x = D*u_xx\ninitial u = sin(2*pi*x)\n")
        told = next(text for _, text in findings if "times smaller" in text)
        ratio = float(re.search(r"about (\S+) times", told)[1])
        self.assertTrue(1e7 < ratio < 1e8, told)  # a/(2 pi D) at the middle: 3.8e7

    def test_equations_of_different_weight(self):
        self.finds("doubtful", "the equation for v weighs about", PERIODIC.replace("field u", "field u, v")
                   + "coefficient D in [0.01, 0.02]\nequation u: u_t = D*u_xx\nequation v: v_t = D*v_xx\n"
                   "initial u = sin(2*pi*x)\ninitial v = 1e5*sin(2*pi*x)\n")

    # ---- Members and references ----

    def test_held_structure_without_a_case(self):
        self.finds("doubtful", "structure both is held back from training, but has no case",
                   SMALL.split("case one")[0])

    def test_reference_that_is_not_supported(self):
        code, findings, told = self.check("coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\n"
                                          "coordinate t in [0, 1] time\nfield u\ncoefficient D in [0.1, 1]\n"
                                          "equation u: u_t = D*u_xx + D*u_yy\ninitial u = sin(2*pi*x)*cos(2*pi*y)\n")
        self.assertEqual((code, [kind for kind, text in findings if "no reference" in text]), (0, ["note"]))
        self.assertIn("failure", told["structures"][0])
        self.assertTrue(told["training"]["ok"])

    def test_reference_that_fails(self):
        self.finds("doubtful", "no reference: ", PERIODIC + "coefficient D in [0.1, 1]\nequation u: u_t + D*u_xx = 0\n"
                   "initial u = sin(2*pi*x) + 0.1*cos(8*pi*x)\n")

    def test_reference_without_a_self_check(self):
        # Half of this step asks for more steps than a reference takes.
        text = ("coordinate t in [0, 1] time\nfield u\nequation u: u_t = -u\ninitial u = 1\n" +
                TINY.replace("points 32, times 11", "times 11, max_step 1.5e-5"))
        told = self.ok("check", "-", "--threads", 1, input=text)
        self.assertIn("no answer at half the points or other time steps", told)
        self.assertIn("could not be made with half its points or other time steps", told)
        self.assertNotRegex(told, r"\binf\b")

    def test_coefficients_that_the_graph_does_not_see(self):
        text = (PERIODIC + "coefficient D in [0.1, 1]\ncoefficient A in [1, 2]\nequation u: u_t = D*u_xx\n"
                "initial u = A*sin(2*pi*x)\n")
        findings = self.finds("doubtful", "A stands only in sources, conditions or transforms, where the descriptor graph "
                              "does not see it: train with --descriptor vector", text)
        self.assertFalse([told for _, told in findings if told.startswith("D stands")])
        self.finds("doubtful", "and name it in the file's `descriptor vector`", text + "descriptor vector D\n")

    def test_text_that_cannot_be_read(self):
        self.fails(3, "", "check", "-", input="field u\nequation u: v = 0\n")
        self.fails(8, "", "check", "nowhere/at-all.pde")


if __name__ == "__main__":
    main()
