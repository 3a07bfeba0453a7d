# SPDX-License-Identifier: Apache-2.0
"""`ansatz reference` as a user runs it: every shipped family, files, figures, cache, failures."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["ANSATZ_PROGRAM"]
FAMILIES = pathlib.Path(os.environ["ANSATZ_FAMILIES"])


class Reference(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.environment = dict(os.environ, ANSATZ_CACHE=str(self.folder / "cache"))

    def tearDown(self):
        self.place.cleanup()

    def run_program(self, *words, code=0, text=None):
        done = subprocess.run([PROGRAM, "reference", *map(str, words)], cwd=self.folder, env=self.environment, text=True,
                              input=text, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def told(self, *words):
        return json.loads(self.run_program(*words, "--json").stdout)

    def files(self):
        return sorted(p.name for p in self.folder.iterdir() if p.is_file())

    def test_every_shipped_family_has_one(self):
        for family in sorted(FAMILIES.glob("*.pde")):
            if family.name == "ccp.pde":
                continue  # seconds long: below, on a coarser grid
            with self.subTest(family=family.name):
                told = self.told(family, "--figure", "f.png", "--times", 11)
                self.assertLess(told["self_difference"], 1e-3)
                self.assertEqual(told["grid"][0]["nodes"], 11)
                self.assertGreater((self.folder / "f.png").stat().st_size, 2000)

    def test_plasma(self):
        text = (FAMILIES / "ccp.pde").read_text().replace("steps_per_period 2000, periods 40", "steps_per_period 400, periods 20")
        (self.folder / "quick.pde").write_text(text)
        told = self.told("quick.pde", "--set", "V0=200,R0=2e20", "--points", 50, "--figure", "f.svg", "-o", "f.nc")
        self.assertEqual(told["method"], "drift-diffusion")
        self.assertLess(told["periodicity"], 1e-8)
        self.assertLess(told["balance"], 1e-6)
        self.assertEqual([f["name"] for f in told["fields"]], ["N", "Phi"])
        self.assertEqual([a["nodes"] for a in told["grid"]], [200, 51])

    def test_fisher_answers_in_words_and_in_json(self):
        words = self.run_program(FAMILIES / "fisher.pde", "--case", "H1").stdout
        self.assertIn("Fourier-BDF", words)
        told = self.told(FAMILIES / "fisher.pde", "--case", "H1")
        self.assertTrue(told["cached"])
        self.assertIsNone(told["periodicity"])
        self.assertLess(told["self_difference"], 1e-12)
        self.assertEqual(told["grid"], [{"name": "t", "nodes": 101, "first": 0.0, "last": 1.0},
                                        {"name": "x", "nodes": 256, "first": 0.0, "last": 255 / 256}])

    def test_the_cache_tells_members_apart(self):
        first = self.told(FAMILIES / "heat.pde", "--set", "D=0.01")
        self.assertFalse(first["cached"])
        self.assertTrue(self.told(FAMILIES / "heat.pde", "--set", "D=0.01")["cached"])
        self.assertFalse(self.told(FAMILIES / "heat.pde", "--set", "D=0.02")["cached"])
        self.assertFalse(self.told(FAMILIES / "heat.pde", "--set", "D=0.01", "--no-cache")["cached"])

    def test_what_fails_writes_nothing(self):
        kdv = "coordinate x in [-20, 20) periodic\ncoordinate t in [0, 1] time\nfield u\n" \
              "equation u: u_t + 6*u*u_x + u_xxx = 0\ninitial u = 1/cosh(x/2)^2\nreference points 16, times 5\n"
        blow_up = "coordinate t in [0, 2] time\nfield u\nequation u: u_t = u^2\ninitial u = 1\n"
        plane = "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n" \
                "equation u: u_t = u_xx + u_yy\ninitial u = sin(2*pi*x)\n"
        for text, code, word in ((kdv, 7, "16 points"), (blow_up, 6, "t = 1"), (plane, 4, "one space dimension")):
            done = self.run_program("-", "-o", "f.nc", "--figure", "f.png", code=code, text=text)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(self.files(), [])
        self.run_program(FAMILIES / "heat.pde", "-o", "f.txt", code=2)
        self.run_program(FAMILIES / "heat.pde", "-o", "no/such/place.nc", code=8)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
