# SPDX-License-Identifier: Apache-2.0
"""Every command ends: on a small problem, on a file that is not one, and on nothing to read, within a limit."""
import re
import subprocess

from program import FolderTest, main, run

LIMIT = 100  # seconds; the longest takes two on a machine that does nothing else


class WatchdogTest(FolderTest):
    def command_names(self):
        """Those that the program itself lists, so that a new one cannot be forgotten."""
        return set(re.findall(r"^  (\w+)  +\S", run("--help").stdout, re.M))

    def small_runs(self):
        """A run of every command that ends well."""
        model, solver = self.folder / "m.safetensors", self.folder / "s.solver"
        table = self.folder / "t.csv"
        table.write_text("a,D\n0.7,0.05\n0.6,0.02\n")
        data = self.folder / "data.csv"
        data.write_text("x,t,u\n0.25,0,1\n0.5,0.5,0.36\n0.9,0.3,-0.5\n0.1,0.6,-0.3\n")
        (self.folder / "e.json").write_text(f"""{{"title": "t", "family": "{self.problem.name}", "seeds": [1], "evaluate": 30,
            "arms": [{{"name": "g", "label": "G", "descriptor": "graph"}}], "cases": ["one"], "tables": [], "claims": []}}""")
        many = ["solve", model, "--targets", table, "--steps", "2", "-o", self.folder / "all.csv", "--threads", "1"]
        return {"new": ["new", self.folder / "new.pde"],
                "show": ["show", self.problem],
                "check": ["check", self.problem, "--threads", "1"],
                "train": ["train", self.problem, "-o", model, "--steps", "20", "--threads", "1"],
                "solve": ["solve", model, "--case", "one", "--steps", "10", "--save", solver, "--threads", "1"],
                "fit": ["fit", self.problem, "--data", data, "--unknown", "D", "--case", "one", "--noise", "u=0.05", "--no-check",
                        "--threads", "1"],
                "eval": ["eval", solver, "--at", "x=0.1,t=0.2"],
                "solve, one part": [*many, "--shard", "1/2"],
                "solve, the other": [*many, "--shard", "2/2"],
                "merge": ["merge", self.folder / "all.csv"],
                "reference": ["reference", self.problem, "--case", "one", "--no-cache"],
                "reproduce": ["reproduce", self.folder / "e.json", "--out", self.folder / "out"],
                "bench": ["bench", "--steps-only", "--seconds", "0.01"],
                "completion": ["completion", "bash"],
                "manual": ["manual"],
                "help": ["help"]}

    def ends(self, *words, **settings):
        done = run(*words, timeout=LIMIT, **settings)
        self.assertGreaterEqual(done.returncode, 0, (words, done.stderr))  # no signal ended it
        return done

    def test_every_command_ends_on_a_small_problem(self):
        runs = self.small_runs()
        self.assertLessEqual(self.command_names(), set(runs))
        for words in runs.values():
            done = self.ends(*words, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, (words, done.stderr))

    def test_every_command_ends_on_what_is_no_file_of_its_kind(self):
        noise = self.folder / "noise"
        noise.write_bytes(bytes(range(256)) * 16)
        for name in self.command_names() - {"help", "manual", "completion", "bench", "new"}:
            for path in (noise, self.folder, self.folder / "absent", "/dev/null"):
                more = {"eval": ["--at", "x=0,t=0"], "train": ["-o", self.folder / "o.safetensors"]}.get(name, [])
                done = self.ends(name, path, *more, stdin=subprocess.DEVNULL)
                self.assertGreater(done.returncode, 0, (name, path))
                self.assertNotEqual(done.stderr, "", (name, path))

    def test_every_command_ends_without_input_and_without_words(self):
        for name in self.command_names() - {"bench"}:
            self.ends(name, stdin=subprocess.DEVNULL)


main()
