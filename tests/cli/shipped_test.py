# SPDX-License-Identifier: Apache-2.0
"""Does it solve? The shipped models against the records of the runs they come from, and equations from nothing."""
import json
import pathlib
import re
import tempfile

from program import ROOT, ProgramTest, main

# model, its record, a case and the steps of one of the record's evaluations
KEPT = [("fisher-graph", "fisher/graph-k2-101", "H2", 100), ("fisher-graph-k5", "fisher/graph-k5-101", "H1", 0),
        ("cdr-graph", "cdr/graph-0", "ADR_4.5_8.5", 0)]


# Loss after these steps of meta-training with seed 101, as 0.2.0 had it (commit acfa8e0).
TRAINED = [("fisher", "graph", 10, 0.49146898), ("fisher", "vector", 10, 0.49194314), ("ccp", "set", 10, 378.22979),
           ("cdr", "graph", 2, 0.30960478)]


class Numbers(ProgramTest):
    """Records of 0.2.0 are continued and reported (lab/job_identity.c, same_numbers): seed and settings must mean the same."""

    def test_training_begins_as_in_the_records(self):
        with tempfile.TemporaryDirectory() as folder:
            for family, descriptor, steps, loss in TRAINED:
                told = self.json("train", family, "-o", pathlib.Path(folder) / "m", "--descriptor", descriptor, "--steps", steps,
                                 "--seed", 101, "--json", "--quiet")
                self.assertAlmostEqual(told["loss"] / loss, 1, delta=1e-6, msg=f"{family} {descriptor}")

    def test_adaptation_from_scratch_gives_the_errors_of_its_record(self):
        record = json.loads((ROOT / "results/fisher/none-101.json").read_text())
        kept = next(entry for entry in record["cases"] if entry["name"] == "H1")
        told = self.json("solve", "fisher", "--from-scratch", "--case", "H1", "--seed", 101, "--steps", 100, "--check", "--json", "--quiet",
                         "--method", "adam")
        for field, error in zip(record["fields"], kept["errors"][kept["steps"].index(100)]):
            self.assertAlmostEqual(told["error"][field] / error, 1, delta=1e-3)


class Shipped(ProgramTest):
    def test_models_give_the_errors_of_their_records(self):
        for model, name, case, steps in KEPT:
            with self.subTest(model=model):
                record = json.loads((ROOT / f"results/{name}.json").read_text())
                kept = next(entry for entry in record["cases"] if entry["name"] == case)
                expected = dict(zip(record["fields"], kept["errors"][kept["steps"].index(steps)]))
                told = self.json("solve", model, "--case", case, "--steps", steps, "--seed", record["seed"], "--check", "--json",
                                 "--quiet", "--method", "adam")
                # Before adaptation a model says what it said; steps on another instruction set round otherwise.
                for field, error in expected.items():
                    self.assertAlmostEqual(told["error"][field] / error, 1, delta=0.1 if steps else 1e-3)

    def test_the_zoo_is_read_and_its_table_names_every_file(self):
        table = (ROOT / "families/zoo/README.md").read_text()
        files = sorted((ROOT / "families/zoo").glob("*.pde"))
        self.assertGreaterEqual(len(files), 20)
        for path in files:
            self.assertIn("Equations, multiplied out", self.ok("show", path))
            self.assertIn(f"({path.name})", table)
            self.assertNotRegex(path.read_text(), r"(?m)^(network|adapt|train) ")

    def test_the_readmes_equation_is_solved_from_nothing(self):
        text = re.search(r"^```pde run mine.pde\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S).group(1)
        with tempfile.TemporaryDirectory() as folder:
            family = pathlib.Path(folder) / "mine.pde"
            family.write_text(text)
            told = self.json("solve", family, "--case", "mine", "--from-scratch", "--check", "--json", "--quiet")
        self.assertLess(told["error_mean"], 1e-2)  # 2.2e-3 in the README
        self.assertGreater(told["error_initial"], 0.1)


main()
