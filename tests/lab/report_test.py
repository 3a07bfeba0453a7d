# SPDX-License-Identifier: Apache-2.0
"""The report's arithmetic: records with chosen errors, and every measure worked out by hand."""
import json
import pathlib
import statistics
import tempfile

from program import ROOT, ProgramTest, main

FAMILY = """include "{fisher}"
override network width 8, layers 1
override train steps 1, points 16
override adapt steps 20, points 16
"""

# errors after 0, 10 and 20 steps, the same in both fields: of the cases H1 and H2 in seeds 1 and 2
ERRORS = {"none": {1: [[1, 1, 0.9], [1, 1, 0.9]], 2: [[1, 1, 0.8], [1, 1, 0.8]]},
          "graph": {1: [[0.4, 0.3, 0.1], [0.5, 0.2, 0.12]], 2: [[0.4, 0.2, 0.14], [0.6, 0.1, 0.3]]}}

# measure: its value for the graph's two seeds
BY_HAND = {"initial": (0.45, 0.5), "step:10": (0.25, 0.15), "final": (0.11, 0.22), "best": (0.11, 0.12),
           "last:2": ((0.2 + 0.16) / 2, (0.17 + 0.2) / 2), "hits:0.13": (1, 0.5), "hits:0.12": (0.5, 0.5), "reach:0.12": (1, 0.5),
           "count:0.13": (2, 1), "first:0.2": (15, 10), "residual": (3, 5),
           "seconds:train": (100, 200), "seconds:0.2": ((2 + 1) / 2, 1)}

# Records made up whole, of seeds that differ between the arms: the error of each seed, the same in both cases.
PAIRED = {"none": {1: 3.0, 2: 4.0, 3: 6.0, 5: 0.1}, "graph": {1: 1.0, 2: 3.0, 3: 2.0, 4: 90.0}}

ARMS = [{"name": "scratch", "label": "From scratch", "descriptor": "none"},
        {"name": "graph", "label": "Operator graph", "descriptor": "graph"}]


class Report(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "small.pde").write_text(FAMILY.format(fisher=ROOT / "families/fisher.pde"))
        self.write([], [])
        self.ok(*self.words("--quiet", "--threads", 1))
        for path in (self.path / "results/small").glob("*.json"):
            record = json.loads(path.read_text())
            self.choose(record)
            path.write_text(json.dumps(record))

    def write(self, tables, claims, seeds=(1, 2), arms=ARMS):
        (self.path / "small.json").write_text(json.dumps({
            "title": "small", "family": "small.pde", "evaluate": 10, "seeds": list(seeds), "cases": ["H1", "H2"], "arms": arms,
            "tables": [{"title": "table", "unit": 1, **table} for table in tables],
            "claims": [{"text": "claim", **claim} for claim in claims]}))

    def words(self, *more):
        return ["reproduce", self.path / "small.json", "--out", self.path / "results", *more]

    @staticmethod
    def choose(record):
        seed = record["seed"]
        record["train_seconds"] = 100 * seed
        for case, errors in zip(record["cases"], ERRORS[record["descriptor"]][seed]):
            case.update(errors=[[error, error] for error in errors], seconds=[0, 1, 2], final=errors[-1], best=min(errors),
                        residual=1 + 2 * seed)

    def report(self, tables, claims, **more):
        self.write(tables, claims, **more)
        return self.json(*self.words("--report", "--json"))

    def invent(self, errors, version="0.2.0"):
        """Records of the given seeds and errors instead of those that were run."""
        for descriptor, seeds in errors.items():
            folder = self.path / "results/small"
            record = json.loads((folder / f"{descriptor}-1.json").read_text())
            for path in folder.glob(f"{descriptor}-*.json"):
                path.unlink()
            for seed, error in seeds.items():
                record.update(seed=seed, version=f"{record['version'].split()[0]} {version}")
                for case in record["cases"]:
                    case.update(errors=[[error, error]] * 3, final=error, best=error)
                (folder / f"{descriptor}-{seed}.json").write_text(json.dumps(record))

    def test_measures(self):
        told = self.report([{"measure": measure, "paper": {}} for measure in BY_HAND], [])
        for table, (measure, seeds) in zip(told["tables"], BY_HAND.items()):
            with self.subTest(measure=measure):
                cell = table["cells"][1]
                for given, expected in zip([*cell["seeds"], cell["mean"], cell["deviation"]],
                                           [*seeds, statistics.mean(seeds), statistics.stdev(seeds)]):
                    self.assertAlmostEqual(given, expected, 9)

    def test_claims_hold_one_way_only(self):
        orders = [["graph", "scratch"], ["scratch", "graph"], ["graph", "graph"]]
        told = self.report([], [{"measure": "final", "less": order} for order in orders])
        # Two seeds that agree on the order, 0.79 and 0.58 apart, are no proof: twelve deviations of their mean.
        self.assertEqual([claim["outcome"] for claim in told["claims"]],
                         ["undecided, in this order", "undecided, not in this order", "does not hold"])

    def test_claims_are_judged_on_shared_seeds(self):
        self.invent(PAIRED)
        claims = [{"measure": "final", "less": order} for order in (["graph", "scratch"], ["scratch", "graph"])]
        told = self.report([{"measure": "final", "paper": {}}], claims, seeds=range(1, 6))["claims"]
        # Differences 2, 1 and 4 of the seeds 1, 2, 3; the means over all seeds are in the other order.
        deviation, quantile = statistics.stdev([2, 1, 4]), 4.302652729911275
        reach = quantile * deviation / 3**0.5
        for claim, sign in zip(told, (1, -1)):
            (pair,) = claim["pairs"]
            self.assertEqual((claim["shared_seeds"], claim["planned_seeds"]), (3, 5))
            self.assertEqual((pair["seeds_below"], pair["cases"], pair["cases_below"]), (3, 6, 6) if sign > 0 else (0, 6, 0))
            for key, expected in (("difference", 7 / 3), ("share", 7 / 13 if sign > 0 else 7 / 6), ("low", 7 / 3 - sign * reach), ("high", 7 / 3 + sign * reach)):
                self.assertAlmostEqual(pair[key], sign * expected, 9)
        self.assertLess(7 / 3, reach)
        own = [{**ARMS[0], "seeds": [3, 2, 9, 8]}, {**ARMS[1], "seeds": [1, 2, 3, 8]}]
        (claim,) = self.report([], claims[:1], arms=own)["claims"]
        self.assertEqual((claim["shared_seeds"], claim["planned_seeds"]), (2, 3))
        self.assertEqual([claim["outcome"] for claim in told], ["undecided, in this order", "undecided, not in this order"])

    def test_a_claim_is_decided_by_the_interval_of_its_weakest_pair(self):
        def outcome(differences, order):
            self.invent({"graph": {s: 5 for s in (1, 2, 3)}, "none": {s: 5 + d for s, d in zip((1, 2, 3), differences)}})
            return self.report([], [{"measure": "final", "less": order}], seeds=(1, 2, 3))["claims"][0]["outcome"]

        up, down = ["graph", "scratch"], ["scratch", "graph"]
        self.assertEqual(outcome([1, 1.1, 0.9], up), "holds")
        self.assertEqual(outcome([1, 1.1, 0.9], down), "does not hold")
        self.assertEqual(outcome([1, 3, -0.5], up), "undecided, in this order")
        self.assertEqual(outcome([1, 3, -0.5], down), "undecided, not in this order")
        self.assertEqual(outcome([1, 1.1, 0.9], ["graph", "scratch", "graph"]), "does not hold")
        self.assertEqual(outcome([1], up), "undecided, in this order")  # seeds 2 and 3 are the graph's alone
        self.assertEqual(outcome([], up), "no verdict: no seed has a record of all arms")

    def test_welch_and_no_test(self):
        self.invent({"graph": {1: 1.0, 2: 2.0, 3: 3.0}})
        papers = [[3, 1], [1, 1], [2, 1.1], [1, None], [2, 0]]
        told = self.report([{"measure": "final", "paper": {"graph": paper}} for paper in papers], [], seeds=(1, 2, 3))
        cells = [table["cells"][1] for table in told["tables"]]
        # t = 1 / sqrt(2 / 3) with four degrees of freedom; a tail of Student's has a closed form there.
        root = (1.5 / 5.5) ** 0.5
        p = 1 - root * (1 + (1 - root**2) / 2)
        self.assertAlmostEqual(cells[0]["p"], p, 9)
        self.assertAlmostEqual(cells[1]["p"], p, 9)
        self.assertAlmostEqual(cells[2]["p"], 1, 9)
        self.assertIsNone(cells[3]["p"])
        self.assertAlmostEqual(cells[4]["p"], 1, 9)
        self.assertEqual([cell["verdict"] for cell in cells],
                         ["inside mean ± 2 SD", "no test: mean ± 2 SD reaches zero", "no test: mean ± 2 SD reaches zero",
                          "worse (no spread given)", "inside mean ± 2 SD"])
        shown = self.ok(*self.words("--report"))
        self.assertIn(f"| 3 of 3 | {p:.2f} | inside mean ± 2 SD |", shown)

    def test_pooled_medians_and_the_papers_seeds(self):
        # The first steps at or below 0.2 are 20 and 10 in seed 1, 10 and 10 in seed 2.
        tables = [{"measure": "pooled:0.2", "paper": {"graph": [10, None]}}, {"measure": "first:0.2", "paper": {}},
                  {"measure": "count:0.13", "paper": {"graph": {"seeds": [2, 0, 1]}, "scratch": {"seeds": [0]}}},
                  {"measure": "final", "population": True, "paper": {"graph": [0.5, 0.3]}}]
        pooled, first, count, population = [t["cells"][1] for t in self.report(tables, [])["tables"]]
        self.assertEqual((pooled["mean"], pooled["deviation"], first["mean"]), (10, None, 12.5))
        self.assertEqual((count["paper_mean"], count["paper_deviation"], count["paper_seeds"], count["seeds"]), (1, 1, [2, 0, 1], [2, 1]))
        self.assertAlmostEqual(population["paper_deviation"], 0.3 * 2**0.5, 12)
        report = self.ok(*self.words("--report"))
        self.assertIn("* Operator graph by seed: paper 2, 0, 1; ours 2, 1 (seeds 1, 2)\n", report)
        self.assertIn("* From scratch by seed: paper 0; ours 0, 0 (seeds 1, 2)\n", report)

    def test_seconds_of_other_hardware_are_not_judged(self):
        told = self.report([{"measure": measure, "paper": {"graph": [1, 0.1]}} for measure in ("seconds:train", "seconds:0.2")], [])
        for table in told["tables"]:
            self.assertEqual((table["cells"][1]["verdict"], table["cells"][1]["p"]), ("not compared: other hardware", None))
        summary = self.ok(*self.words("--report", "--summary")).splitlines()[-1]
        self.assertEqual([cell.strip() for cell in summary.split("|")[3:-1]], ["0", "0", "0", "0", "0, 0", "0", "0 of 0", "0", "0, 0", "0", "0"])

    def test_every_build_is_named_once(self):
        self.invent({"graph": {1: 1.0}}, "aaaaaaa bbbbbbb")
        first = self.path / "results/small/graph-1.json"
        kept = first.read_text()
        self.invent({"graph": {1: 1.0, 2: 1.0}}, "bbbbbbb ccccccc")
        first.write_text(kept)
        self.write([{"measure": "final", "paper": {}}], [])
        version = json.loads(kept)["version"].split()[0]
        self.assertIn(f"| {version} aaaaaaa bbbbbbb ccccccc |", self.ok(*self.words("--report")))

    def test_the_verdict_turns_at_two_deviations(self):
        papers = [0.165 + part * 0.05 for part in (-1.1, -0.9, 1.9, 2.1)]
        told = self.report([{"measure": "final", "paper": {"graph": [mean, 0.05 * (1 if mean > 0.165 else 0.5)]}} for mean in papers], [])
        verdicts = [table["cells"][1]["verdict"] for table in told["tables"]]
        self.assertEqual(verdicts, ["worse", "inside mean ± 2 SD", "inside mean ± 2 SD", "better"])

    def test_of_hits_more_is_better(self):
        told = self.report([{"measure": "hits:0.13", "paper": {"graph": [mean, 0.05]}} for mean in (0.6, 0.9)], [])
        self.assertEqual([table["cells"][1]["verdict"] for table in told["tables"]], ["better", "worse"])
        told = self.report([{"measure": measure, "paper": {"graph": [mean, None]}} for measure, mean in
                            (("hits:0.13", 0.75), ("hits:0.13", 1), ("count:0.13", 2), ("reach:0.12", 0), ("final", 1))], [])
        self.assertEqual([table["cells"][1]["verdict"].split(" (")[0] for table in told["tables"]],
                         ["as good or better", "worse", "worse", "as good or better", "as good or better"])


main()
