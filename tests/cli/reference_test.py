# SPDX-License-Identifier: Apache-2.0
"""`ansatz reference`: every shipped family, files, figures, cache, and how it refuses what cannot be solved."""
import json
import pathlib
import tempfile

from program import ROOT, ProgramTest, colours_of, disk_of, main, run

FAMILIES = ROOT / "families"
PLANE = """coordinate x in [0, 1) periodic
coordinate y in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = u_xx + u_yy
initial u = sin(2*pi*x)
"""
ALIASED = """coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u
equation u: u_t = -u_x
initial u = sin(2*pi*20000*x)
"""
PLAIN = """coordinate x in [0, 2]
coordinate t in [0, 1] time
field u
equation u: u_t = u_xx
initial u = 3 + sin(x)
boundary u at x = 0: u = 3 soft
boundary u at x = 2: u_x = 0 soft
reference points 17, times 5, relative 1e-6, absolute 1e-8
"""
BLOW_UP = """coordinate t in [0, 2] time
field u
equation u: u_t = u^2
initial u = 1
"""


class Reference(ProgramTest):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.settings = {"cwd": self.folder, "environment": {"ANSATZ_CACHE": str(self.folder / "cache")}}

    def tearDown(self):
        self.place.cleanup()

    def test_a_wave_that_passes_through_zero_is_resolved(self):
        (self.folder / "wave.pde").write_text("""coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u, v
coefficient c in [0.5, 2]
equation u: u_t - v = 0
equation v: v_t - c^2*u_xx = 0
initial u = sin(2*pi*x)
initial v = 0
case standing: c=1
reference points 64, times 21
""")
        self.assertLess(self.told("wave.pde")["self_difference"], 1e-6)

    def told(self, *words):
        return self.json("reference", *words, "--json", **self.settings)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())

    def test_a_full_disk(self):
        """What the disk cannot take is reported, or not kept, and nothing crashes on the way out."""
        settings = {**self.settings, "preexec_fn": disk_of(4096)}
        for name in ("f.nc", "f.npz", "f.csv"):
            self.fails(8, f"cannot write {name}: File too large", "reference", FAMILIES / "heat.pde", "--no-cache", "-o",
                       name, **settings)
        self.assertIn("self-check", self.ok("reference", FAMILIES / "heat.pde", **settings))
        self.assertEqual((self.files(), list((self.folder / "cache").iterdir())), ([], []))

    def test_every_shipped_family_has_one(self):
        for family in sorted(FAMILIES.glob("*.pde")):
            if family.name == "ccp.pde":
                continue  # seconds long: below, on a coarser grid
            with self.subTest(family=family.name):
                told = self.told(family, "--figure", "f.png", "--times", 11)
                self.assertLess(told["self_difference"], 1e-3)
                self.assertEqual(told["grid"][0]["nodes"], 11)
                self.assertGreater((self.folder / "f.png").stat().st_size, 2000)

    def test_a_file_name_of_any_bytes_is_drawn(self):
        strange = self.folder / "caf\udce9.pde"
        strange.write_bytes((FAMILIES / "heat.pde").read_bytes())
        self.ok("reference", strange, "--no-cache", "--figure", "f.png", "--json", **self.settings)
        self.assertGreater((self.folder / "f.png").stat().st_size, 2000)

    def test_plasma(self):
        text = (FAMILIES / "ccp.pde").read_text()
        coarser = text.replace("steps_per_period 2000, periods 40", "steps_per_period 400, periods 20")
        self.assertNotEqual(text, coarser)
        (self.folder / "coarser.pde").write_text(coarser)
        told = self.told("coarser.pde", "--set", "V0=200,R0=2e20", "--points", 50, "--figure", "f.svg", "-o", "f.nc")
        self.assertEqual(told["method"], "drift-diffusion")
        self.assertLess(told["periodicity"], 1e-8)
        self.assertLess(told["balance"], 1e-6)
        self.assertEqual([field["name"] for field in told["fields"]], ["N", "Phi"])
        self.assertEqual([axis["nodes"] for axis in told["grid"]], [200, 51])
        self.assertEqual(self.files(), ["coarser.pde", "f.nc", "f.svg"])

    def test_fisher_in_words_and_as_json(self):
        self.assertIn("Fourier-BDF", self.ok("reference", FAMILIES / "fisher.pde", "--case", "H1", **self.settings))
        told = self.told(FAMILIES / "fisher.pde", "--case", "H1")
        self.assertTrue(told["cached"])
        self.assertIsNone(told["periodicity"])
        self.assertLess(told["self_difference"], 1e-12)
        self.assertEqual(told["grid"], [{"name": "t", "nodes": 101, "first": 0.0, "last": 1.0},
                                        {"name": "x", "nodes": 256, "first": 0.0, "last": 255 / 256}])

    def test_the_rainbow_is_drawn_only_when_asked_for(self):
        text = "coordinate t in [0, 1] time\ncoordinate x in [0, 1) periodic\nfield u\nequation u: u_t = 0.1*u_xx\n" \
               "initial u = 2 + sin(2*pi*x)\nreference points 16, times 5\n"
        for words, rainbow in (((), False), (("--colours", "rainbow"), True)):
            path = self.folder / "u.png"
            self.ok("reference", "-", "--no-cache", "--figure", path, *words, input=text, **self.settings)
            pure_blue = [colour for colour in colours_of(path) if colour[0] == colour[1] == 0 and colour[2] > 100]
            self.assertEqual(pure_blue != [], rainbow)

    def test_fewer_steps_than_levels_are_remarked(self):
        text = "coordinate t in [0, 1] time\nfield u\nequation u: u_t = -0.001*u\ninitial u = 1\nreference times 101"
        for more, remarked in (("", False), (", max_step 0.01", False), (", max_step 0.5", True)):
            done = run("reference", "-", "--no-cache", "--json", input=text + more + "\n", **self.settings)
            steps = json.loads(done.stdout)["steps"]
            self.assertEqual(steps < 100, remarked)
            self.assertEqual(f"{steps} steps for 101 levels of t" in done.stderr, remarked)

    def test_a_self_check_that_cannot_be_made_is_said(self):
        # Half of this step asks for more steps than a reference takes.
        text = ("coordinate t in [0, 1] time\nfield u\nequation u: u_t = -u\ninitial u = 1\n"
                "reference times 3, max_step 1.5e-5\n")
        words = ("reference", "-", "--no-cache")
        told = self.ok(*words, input=text, **self.settings)
        self.assertIn("time check        could not be made with other time steps\n", told)
        self.assertNotIn("inf", told)
        told = self.json(*words, "--json", input=text, **self.settings)
        self.assertIsNone(told["time_difference"])
        self.assertGreater(told["steps"], 60000)

    def test_more_nodes_are_taken_and_told(self):
        text = ("coordinate x in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\nequation u: u_t = -u_x\n"
                "initial u = sin(2*pi*257*x)\nreference times 3\n")
        told = self.json("reference", "-", "--no-cache", "--json", input=text, **self.settings)
        self.assertEqual((told["nodes"], told["grid"][1]["nodes"]), (2048, 256))
        self.assertIn(", 2048 nodes\n", self.ok("reference", "-", "--no-cache", input=text, **self.settings))

    def test_a_cache_that_cannot_be_written_is_reported(self):
        (self.folder / "file").write_text("no folder")
        blocked = {"cwd": self.folder, "environment": {"ANSATZ_CACHE": str(self.folder / "file")}}
        words = ("reference", FAMILIES / "heat.pde", "--set", "D=0.01")
        self.assertIn("\ncache             could not be written: nothing is kept\n", self.ok(*words, **blocked))
        self.assertNotIn("could not be written", self.ok(*words, **self.settings))

    def test_the_cache_tells_members_apart(self):
        heat = FAMILIES / "heat.pde"
        self.assertFalse(self.told(heat, "--set", "D=0.01")["cached"])
        self.assertTrue(self.told(heat, "--set", "D=0.01")["cached"])
        self.assertFalse(self.told(heat, "--set", "D=0.02")["cached"])
        self.assertFalse(self.told(heat, "--set", "D=0.01", "--no-cache")["cached"])

    def test_the_cache_tells_problems_apart(self):
        changes = [("", ""), ("t in [0, 1]", "t in [0, 2]"), ("x in [0, 2]", "x in [0, 3]"), ("= u_xx", "= u_xx + 0.5*x"),
                   ("u = 3", "u = 4"), ("u_x = 0", "u = 0"), ("times 5", "times 6"), ("relative 1e-6", "relative 1e-7"),
                   ("absolute 1e-8", "absolute 1e-9"), ("points 17", "points 18"), ("sin(x)", "cos(x)")]
        for before, after in changes:
            with self.subTest(change=after):
                self.assertIn(before, PLAIN)
                words = ("reference", "-", "--json")
                text = PLAIN.replace(before, after) if "x in" not in before else PLAIN.replace("2", "3")
                told = [self.json(*words, input=text, **self.settings)["cached"] for _ in range(2)]
                self.assertEqual(told, [False, True])

    def test_what_fails_writes_nothing(self):
        for text, code, sentence in ((ALIASED, 7, "8192 nodes do not represent the initial value of u"), (BLOW_UP, 6, "at t = 1"),
                                     (PLANE, 4, "one space dimension")):
            self.fails(code, sentence, "reference", "-", "-o", "f.nc", "--figure", "f.png", input=text, **self.settings)
            self.assertEqual(self.files(), [])
        heat = FAMILIES / "heat.pde"
        self.fails(2, "nc|npz|csv", "reference", heat, "-o", "f.txt", **self.settings)
        self.fails(2, "png|svg|pdf", "reference", heat, "-o", "f.nc", "--figure", "f.bmp", **self.settings)
        self.fails(8, "no/such/place.nc", "reference", heat, "-o", "no/such/place.nc", **self.settings)
        self.assertEqual(self.files(), [])


main()
