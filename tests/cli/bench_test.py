# SPDX-License-Identifier: Apache-2.0
"""What `ansatz bench` prints: the figures are there and fit one another. Their size is not tested: machines differ."""
import os
import tempfile

from json_keys import differences
from program import ProgramTest, main, run


class Bench(ProgramTest):
    def check_step(self, report, step, channels):
        self.assertEqual(step["channels"], channels)
        self.assertEqual(step["plain_channels"], channels + 1)
        self.assertAlmostEqual(step["gflops"], step["gflop"] / step["ms"] * 1e3, delta=1e-6 * step["gflops"])
        self.assertAlmostEqual(step["fma_fraction"], step["gflops"] / report["fma_peak_gflops"], delta=1e-6)
        for name in ("speedup_2_threads", "speedup_2_threads_wall", "operator_speedup"):
            self.assertGreater(step[name], 0)

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
        for group in ("instruction_sets", "points", "width", "fields"):
            self.assertTrue(all(entry["ms"] > 0 for entry in report[group]))
        self.assertEqual(differences("bench", report), {"printed, not told": set(), "told, not printed": set()})

    def test_mistake(self):
        self.fails(2, "seconds", "bench", "--seconds", "soon")
        self.fails(2, "--figure does not go with --steps-only", "bench", "--steps-only", "--figure", "cost.svg")
        self.fails(2, "one of png|svg|pdf", "bench", "--seconds", "3600", "--figure", "cost.gif")

    def test_the_shipped_families_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "fisher"))
            report = self.json("bench", "--steps-only", "--seconds", "0.01", "--json", cwd=folder)
        self.assertEqual(report["fisher_step"]["fields"], 2)

    def test_the_pinned_instruction_set_is_used(self):
        report = self.json("bench", "--steps-only", "--seconds", "0.01", "--json", environment={"ANSATZ_ISA": "baseline"})
        self.assertEqual(report["isa"], "baseline")

    def test_threads_spin_here_and_nowhere_else(self):
        """Every start of the program makes OpenMP tell its settings: the others start it twice."""
        for words, starts in ((["show", "fisher"], 2), (["bench"], 1), (["--json", "bench"], 1), (["--seed", "3", "bench"], 1)):
            words = [*words, "--seconds", "soon"] if "bench" in words else words
            told = run(*words, environment={"OMP_DISPLAY_ENV": "true"}).stderr
            if "OPENMP DISPLAY ENVIRONMENT BEGIN" not in told or {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
                self.skipTest("this OpenMP tells nothing, or was told how to wait")
            self.assertEqual(told.count("OPENMP DISPLAY ENVIRONMENT BEGIN"), starts, words)


if __name__ == "__main__":
    main()
