# SPDX-License-Identifier: Apache-2.0
"""doc/json.md and what --json prints: every key printed is documented, every key documented is printed. (bench_test.py has that of `bench`.)"""
import json

from json_keys import differences
from program import FolderTest, main, run

EXPERIMENT = {"title": "small", "family": "small.pde", "evaluate": 1, "seeds": [1], "cases": ["one"],
              "arms": [{"name": "scratch", "label": "From scratch", "descriptor": "none"}],
              "tables": [{"title": "table", "unit": 1, "measure": "final", "paper": {"scratch": [1, 0.1]}}],
              "claims": [{"text": "claim", "measure": "final", "less": ["scratch", "scratch"]}]}


class Keys(FolderTest):
    def setUp(self):
        super().setUp()
        self.settings = {"cwd": self.folder, "environment": {"ANSATZ_CACHE": str(self.folder)}}

    def compare(self, command, *runs, codes=()):
        """Each run a list of words; together they print every key that the command's section tells of."""
        answers = []
        for words, code in zip(runs, codes or [0] * len(runs)):
            done = run(command, *words, "--json", "--quiet", **self.settings)
            self.assertEqual(done.returncode, code, done.stderr)
            answers.append(json.loads(done.stdout))
        self.assertEqual(differences(command, *answers), {"printed, not told": set(), "told, not printed": set()})

    def test_show(self):
        self.compare("show", ["small.pde", "--case", "one", "--descriptor", "set"])

    def test_train(self):
        self.compare("train", ["small.pde", "-o", "m", "--steps", 2], ["small.pde", "--describe"])

    def test_solve(self):
        self.ok("train", "small.pde", "-o", "m", "--steps", 2, "--quiet", **self.settings)
        (self.folder / "plane.pde").write_text(
            "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
            "equation u: u_t = u_xx + u_yy\ninitial u = sin(2*pi*x)\nnetwork width 8, layers 1\nadapt points 16\n")
        (self.folder / "targets.csv").write_text("structure,a,D\nmoving,0.7,\nboth,7,0.05\n")
        self.compare("solve",
                     ["m", "--case", "one", "--steps", 2, "--check", "-o", "s.nc", "--figure", "s.png", "--save", "solver",
                      "--correct", "--tolerance", 0.9],
                     ["m", "--targets", "targets.csv", "--steps", 2, "--check", "--tolerance", 0.9],
                     ["plane.pde", "--from-scratch", "--steps", 2, "--check"], ["solver", "--steps", 1], codes=(7, 2, 4, 0))

    def test_fit(self):
        (self.folder / "plane.pde").write_text(
            "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
            "coefficient D in [0.001, 0.1]\nequation u: u_t = D*u_xx + D*u_yy\ninitial u = sin(2*pi*x)\n"
            "network width 8, layers 1\n")
        (self.folder / "line.pde").write_text(
            "coordinate t in [0, 1] time\nfield u\ncoefficient k in [0.1, 3]\nequation u: u_t = -k*u\ninitial u = 1\n"
            "network width 8, layers 1\n")
        (self.folder / "open.pde").write_text((self.folder / "line.pde").read_text().replace("u = 1", "u unknown"))
        (self.folder / "plane.csv").write_text("x,y,t,u\n0.25,0,0,1\n0.25,0.3,1,0.7\n0.75,0.2,0.5,-0.8\n")
        (self.folder / "line.csv").write_text("t,u\n0,1\n0.5,0.6\n1,0.37\n")
        (self.folder / "two.csv").write_text("who,t,u\na,0,1\na,0.5,0.6\na,1,0.37\nb,0.5,0.8\nb,1,0.7\n")
        self.compare("fit", ["plane.pde", "--data", "plane.csv", "--unknown", "D", "--noise", "u=0.05"],
                     ["line.pde", "--data", "line.csv", "--unknown", "k", "--noise", "u=0.05", "--profile", "--next", 1,
                      "--structure", "auto", "-o", "f.csv", "--figure", "f.svg", "--save", "f.solver"],
                     ["line.pde", "--data", "line.csv,none.csv", "--unknown", "k", "--noise", "u=0.05"],
                     ["line.pde", "--data", "two.csv", "--group", "who", "--unknown", "k", "--noise", "u=0.05"],
                     ["open.pde", "--data", "line.csv", "--unknown", "k", "--noise", "u=0.05"], codes=(0, 0, 8, 0, 0))

    def test_reference(self):
        self.compare("reference", ["small.pde", "--case", "one", "-o", "r.nc", "--figure", "r.png"])

    def test_reproduce(self):
        (self.folder / "small.json").write_text(json.dumps(EXPERIMENT))
        self.compare("reproduce", ["small.json", "--out", "results"], ["small.json", "--out", "results", "--report"])

    def test_check(self):
        self.compare("check", ["small.pde"])

    def test_new(self):
        self.compare("new", ["fresh.pde"])

    def test_help(self):
        self.compare("help", [])

    def test_completion(self):
        self.compare("completion", ["bash"])


main()
