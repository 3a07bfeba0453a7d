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

    def write(self, tables, claims):
        (self.path / "small.json").write_text(json.dumps({
            "title": "small", "family": "small.pde", "evaluate": 10, "seeds": [1, 2], "cases": ["H1", "H2"], "arms": ARMS,
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

    def report(self, tables, claims):
        self.write(tables, claims)
        return self.json(*self.words("--report", "--json"))

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
        self.assertEqual([claim["outcome"] for claim in told["claims"]], ["holds", "does not hold", "does not hold"])

    def test_the_verdict_turns_at_two_deviations(self):
        papers = [0.165 + part * 0.05 for part in (-2.1, -1.9, 1.9, 2.1)]
        told = self.report([{"measure": "final", "paper": {"graph": [mean, 0.05]}} for mean in papers], [])
        verdicts = [table["cells"][1]["verdict"] for table in told["tables"]]
        self.assertEqual(verdicts, ["worse", "inside mean ± 2 SD", "inside mean ± 2 SD", "better"])

    def test_of_hits_more_is_better(self):
        told = self.report([{"measure": "hits:0.13", "paper": {"graph": [mean, 0.05]}} for mean in (0.6, 0.9)], [])
        self.assertEqual([table["cells"][1]["verdict"] for table in told["tables"]], ["better", "worse"])


main()
