# SPDX-License-Identifier: Apache-2.0
"""What `ansatz bench` prints: the figures are there and fit one another. Their size is not tested: machines differ."""
import json
import os
import pathlib
import tempfile

from json_keys import differences
from program import ProgramTest, main


# What a comparison holds, for the document of the keys: one is made below.
COMPARED = {"old": {}, "new": {}, "unmatched": 0,
            "comparison": [{"name": "", "old_ms": 1, "new_ms": 1, "ratio": 1, "noise": 0, "verdict": ""}]}


class Compare(ProgramTest):
    """Made files, so that every figure is known."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def made(self, name, steps, **more):
        report = {"version": "0.3.0", "commit": name, "cpu": f"processor of {name}", "isa": "avx2", **more}
        for key, (median, spread) in zip(("fisher_step", "cdr_step"), steps):
            report[key] = {"ms": median * 0.9, "repeats": 5, "median_ms": median, "spread": spread}
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(report))
        return path

    def compare(self, old, new):
        return self.json("bench", "--compare", old, "--against", new, "--json")

    def test_ratios_and_verdicts(self):
        width = [{"name": name, "ms": 1, "median_ms": median, "spread": 0.02} for name, median in (("32", 1), ("64", 2))]
        old = self.made("old", [(10, 0.02), (20, 0.05)], width=width)
        new = self.made("new", [(8, 0.03), (21, 0.01)], width=[{**width[1], "median_ms": 2.1}, {**width[0], "name": "96"}])
        answer = self.compare(old, new)
        self.assertEqual(set(answer), set(COMPARED))
        self.assertEqual(answer["old"], {"version": "0.3.0", "commit": "old", "cpu": "processor of old", "isa": "avx2"})
        self.assertEqual(answer["unmatched"], 2)  # width 32 of the old, 96 of the new
        rows = [tuple(row.values()) for row in answer["comparison"]]
        self.assertEqual([row[0] for row in rows], ["fisher_step", "cdr_step", "width 64"])
        for row, (old_ms, new_ms, ratio, noise, verdict) in zip(rows, [(10, 8, 0.8, 0.05, "faster"),
                                                                      (20, 21, 1.05, 0.06, "within the noise"),
                                                                      (2, 2.1, 1.05, 0.04, "slower")]):
            for got, expected in zip(row[1:5], (old_ms, new_ms, ratio, noise)):
                self.assertAlmostEqual(got, expected, places=12)
            self.assertEqual(row[5], verdict)

    def test_text(self):
        old, new = self.made("old", [(10, 0.02), (20, 0.05)]), self.made("new", [(8, 0.03), (21, 0.01)])
        lines = self.ok("bench", "--compare", old, "--against", new).splitlines()
        self.assertEqual(lines[0].split()[:3], ["old", "0.3.0", "old"])
        self.assertEqual(lines[4].split(), ["fisher_step", "10.000", "8.000", "0.800", "0.050", "faster"])
        self.assertEqual(lines[5].split(), ["cdr_step", "20.000", "21.000", "1.050", "0.060", "within", "the", "noise"])

    def test_a_file_without_spread(self):
        old = self.folder / "old.json"  # as 0.2.0 printed it
        old.write_text(json.dumps({"fisher_step": {"ms": 10}, "cdr_step": {"ms": 20}}))
        row = self.compare(old, self.made("new", [(5, 0.1), (20, 0)]))["comparison"][0]
        self.assertEqual((row["ratio"], row["noise"], row["verdict"]), (0.5, None, "unknown"))

    def test_one_name_many_times(self):
        entry = {"name": "64", "ms": 1, "median_ms": 1, "spread": 0}
        answer = self.compare(self.made("old", [(1, 0), (1, 0)], width=[entry]), self.made("new", [(1, 0), (1, 0)], width=[entry] * 5))
        self.assertEqual((len(answer["comparison"]), answer["unmatched"]), (3, 4))

    def test_what_was_measured_is_compared(self):
        old = self.made("old", [(1e9, 0.1), (1e-9, 0.1)])
        answer = self.json("bench", "--steps-only", "--seconds", "0.01", "--compare", old, "--json")
        self.assertEqual([row["verdict"] for row in answer["comparison"]], ["faster", "slower"])
        self.assertEqual(answer["new"]["version"], self.ok("--version").split()[1])

    def test_other_files_are_refused(self):
        sound = self.made("sound", [(1, 0), (1, 0)])
        for text in ("", "{", "[]", "3", "{}", '{"fisher_step": 1, "cdr_step": 2}', "\0", "[" * 100000,
                     '{"fisher_step": {"ms": 1}, "cdr_step": {"ms": -1}}', '{"fisher_step": {"ms": 1}, "cdr_step": {"ms": "1"}}',
                     '{"fisher_step": {"ms": 1, "spread": -1}, "cdr_step": {"ms": 1}}',
                     '{"fisher_step": {"ms": 1}, "cdr_step": {"ms": 1}, "width": [7]}',
                     json.dumps({"fisher_step": {"ms": 1}, "cdr_step": {"ms": 1}, "width": [{"name": str(i), "ms": 1} for i in range(200)]})):
            path = self.folder / "wrong.json"
            path.write_text(text)
            self.fails(8, "wrong.json", "bench", "--compare", path, "--against", sound)
            self.fails(8, "wrong.json", "bench", "--compare", sound, "--against", path)
        self.fails(8, "cannot read", "bench", "--compare", self.folder / "none.json", "--seconds", 3600)
        self.fails(8, str(self.folder), "bench", "--compare", self.folder, "--seconds", 3600)


class Bench(ProgramTest):
    def check_step(self, report, step, channels):
        self.assertEqual(step["channels"], channels)
        self.assertEqual(step["plain_channels"], channels + 1)
        self.assertAlmostEqual(step["gflops"], step["gflop"] / step["ms"] * 1e3, delta=1e-6 * step["gflops"])
        self.assertAlmostEqual(step["fma_fraction"], step["gflops"] / report["fma_peak_gflops"], delta=1e-6)
        for name in ("speedup_2_threads", "speedup_2_threads_wall", "operator_speedup", "product_fraction", "outer_fraction"):
            self.assertGreater(step[name], 0)
        self.assertTrue(0 < step["forming_share"] < 1)
        self.check_noise(step)

    def check_noise(self, entry):
        self.assertIn(entry["repeats"], range(2, 6))
        self.assertGreaterEqual(entry["median_ms"], entry["ms"])
        self.assertGreaterEqual(entry["spread"], 0)

    def test_steps(self):
        report = self.json("bench", "--steps-only", "--seconds", "0.05", "--json")
        self.assertGreater(report["fma_peak_gflops"], 0)
        for name in ("cpu", "isa", "blas", "threads", "loudness"):
            self.assertIn(name, report)
        self.check_step(report, report["fisher_step"], 3)
        self.check_step(report, report["cdr_step"], 3)
        # 3 products over 3072 rows in three layers of two fields, 2 in the input layer, 3 in the output layer,
        # and 3 to form the weights and back.
        rows, width = 3072, 96
        products = 2 * (3 * 3 * rows * width**2 + 2 * rows * 9 * width + 3 * rows * width + 3 * 3 * width**3)
        self.assertAlmostEqual(report["fisher_step"]["gflop"], 2e-9 * products, places=6)

    def test_groups_and_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            figure = os.path.join(folder, "cost.svg")
            report = self.json("bench", "--seconds", "0.01", "--figure", figure, "--json")
            self.assertGreater(os.path.getsize(figure), 1000)
        channels = {entry["name"]: entry["channels"] for entry in report["structures"]}
        self.assertEqual(channels, {"convection": 2, "heat": 3, "reaction": 2, "conv_diff": 3, "fisher": 3, "ar": 2, "adr": 3})
        self.assertEqual([entry["x"] for entry in report["order"]], [1, 2, 3, 4])
        speeds = [entry["gflops"] for entry in report["order"]]
        self.assertEqual(report["order_speed"], [speeds[2] / speeds[1], speeds[3] / speeds[1]])
        for group in ("instruction_sets", "points", "width", "fields"):
            self.assertTrue(all(entry["ms"] > 0 for entry in report[group]))
            for entry in report[group]:
                self.check_noise(entry)
        accuracy = self.accuracy()
        self.assertEqual(differences("bench", report, COMPARED, accuracy), {"printed, not told": set(), "told, not printed": set()})

    def accuracy(self):
        """The cheapest part: pure advection, which a moving frame leaves with nothing to learn."""
        answer = self.json("bench", "--accuracy", "advection", "--quiet", "--json", "--seed", 3)
        self.assertEqual((answer["seed"], len(answer["trials"])), (3, 1))
        row, trial = answer["rows"][0], answer["trials"][0]
        self.assertEqual((row["part"], trial["method"], trial["from_scratch"]), ("advection", "gauss_newton", True))
        self.assertEqual(row["verdict"], "aim" if row["value"] <= row["aim"] else "met")
        self.assertLess(row["value"], row["at_least"])
        self.assertAlmostEqual(row["value"], trial["error"])
        self.assertLessEqual(trial["seconds_to_percent"], trial["seconds"])
        return answer

    def test_a_recorded_trial_is_not_repeated(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trials.json")
            ask = ("bench", "--accuracy", "advection", "--record", path, "--quiet", "--json", "--seed")
            first, second = self.json(*ask, 3), self.json(*ask, 3)
            self.assertEqual(first, second)  # seconds of the processor too: nothing ran again
            self.fails(8, "another seed", *ask, 4)
            with open(path) as file:
                record = json.load(file)
            for key, wrong, sentence in (("commit", "0000000", "another commit"), ("trials", [], "is not a record"), ("trials", {"a": {"steps": 1}}, "without its numbers")):
                with open(path, "w") as file:
                    json.dump({**record, key: wrong}, file)
                self.fails(8, sentence, *ask, 3)
            with open(path, "w") as file:
                file.write("{")
            self.fails(8, "cannot be read as JSON", *ask, 3)
        self.fails(2, "--record has no effect without --accuracy", "bench", "--record", "trials.json")

    def test_mistake(self):
        self.fails(2, "seconds", "bench", "--seconds", "soon")
        self.fails(2, "'fish' is not one of", "bench", "--accuracy", "advection,fish")
        self.fails(2, "--members has no effect without --accuracy", "bench", "--members", "3")
        self.fails(2, "members", "bench", "--accuracy", "cdr", "--members", "0")
        self.fails(2, "cannot be combined with", "bench", "--accuracy", "cdr", "--steps-only")
        self.fails(2, "--figure cannot be combined with --steps-only", "bench", "--steps-only", "--figure", "cost.svg")
        self.fails(2, "one of png|svg|pdf", "bench", "--seconds", "3600", "--figure", "cost.gif")

    def test_the_shipped_families_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "fisher"))
            report = self.json("bench", "--steps-only", "--seconds", "0.01", "--json", cwd=folder)
        self.assertEqual(report["fisher_step"]["fields"], 2)

    def test_the_pinned_instruction_set_is_used(self):
        report = self.json("bench", "--steps-only", "--seconds", "0.01", "--json", environment={"ANSATZ_ISA": "baseline"})
        self.assertEqual(report["isa"], "baseline")


if __name__ == "__main__":
    main()
