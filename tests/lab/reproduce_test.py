# SPDX-License-Identifier: Apache-2.0
"""Experiments: jobs, their records, interruptions and the report."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from program import ANSATZ, ROOT, ProgramTest, colours_of, main, run, run_until_it_steps

SMALL = """include "{family}"
override network width 8, layers 1
override train steps {steps}, points 16
override adapt steps 20, points 16
"""

EXPERIMENT = {
    "title": "small", "family": "small.pde", "evaluate": 10, "seeds": [1, 2], "cases": ["H1", "H2"],
    "arms": [{"name": "scratch", "label": "From scratch", "descriptor": "none"},
             {"name": "graph", "label": "Operator graph", "descriptor": "graph", "rounds": 2}],
    "tables": [{"title": "Final error", "figure": "dots", "measure": "final", "unit": 1, "paper": {"graph": [1e-9, 1e-10]}},
               {"title": "Late", "measure": "last:2", "unit": 1, "paper": {}},
               {"title": "Start", "measure": "initial", "cases": ["H1"], "field": "u", "unit": 1, "paper": {"graph": [1, 10]}}],
    "claims": [{"text": "nothing is below itself", "measure": "final", "less": ["graph", "graph"]},
               {"text": "nor late", "measure": "last:2", "less": ["graph", "graph"], "ours": True}],
}


class ReproduceTest(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.family(steps=20)
        self.experiment = self.path / "small.json"
        self.experiment.write_text(json.dumps(EXPERIMENT))
        self.results = self.path / "results"

    def family(self, steps):
        (self.path / "small.pde").write_text(SMALL.format(family=ROOT / "families/fisher.pde", steps=steps))

    def words(self, *more):
        return ["reproduce", self.experiment, "--out", self.results, "--threads", "1", "--quiet", *more]

    def records(self):
        found = {p.name: json.loads(p.read_text()) for p in (self.results / "small").glob("*.json") if ".map." not in p.name}
        for record in found.values():
            record["train_seconds"] = 0
            for case in record["cases"]:
                case["seconds"] = []
        return found

    def test_jobs_are_done_once_and_reported(self):
        outcome = json.loads(self.ok(*self.words("--jobs", "2", "--json")))
        self.assertEqual(outcome, {"experiment": "small", "done": 4, "elsewhere": 0, "interrupted": 0, "failed": 0})
        self.assertEqual(sorted(self.records()), ["graph-k2-1.json", "graph-k2-2.json", "none-1.json", "none-2.json"])
        record = self.records()["graph-k2-1.json"]
        self.assertEqual([case["steps"] for case in record["cases"]], [[0, 10, 20]] * 2)
        self.assertEqual(record["fields"], ["u", "v"])
        for case in record["cases"]:
            means = [sum(row) / 2 for row in case["errors"]]
            self.assertAlmostEqual(case["final"], means[-1], delta=1e-7)
            self.assertAlmostEqual(case["best"], min(means), delta=1e-7)
        before = {p: p.stat().st_mtime_ns for p in (self.results / "small").glob("*.json")}
        self.ok(*self.words())
        self.assertEqual(before, {p: p.stat().st_mtime_ns for p in before})

        report = self.ok(*self.words("--report", "--figures", self.path / "figures"))
        expected = sum(sum(c["errors"][-1]) / 2 for r in (1, 2) for c in self.records()[f"graph-k2-{r}.json"]["cases"]) / 4
        shown = [line for line in report.splitlines() if line.startswith("| Operator graph")][0].split("|")
        self.assertAlmostEqual(float(shown[3].split()[0]), expected, delta=1e-3)
        self.assertEqual([cell.strip() for cell in shown[4:8]], ["2 of 2", shown[5].strip(), "worse", f"`ansatz reproduce {self.experiment} --arms graph --out rerun`"])
        self.assertIn("The 4 jobs recorded, of 4, took 0.0 hours", report)
        self.assertIn("no test: mean ± 2 SD reaches zero", report)
        self.assertIn("* nothing is below itself (final): does not hold", report)
        self.assertIn("* not the paper's: nor late (last:2): does not hold", report)
        self.assertTrue((self.path / "figures/small-1.svg").exists())
        final, late, _ = [table["cells"][1] for table in json.loads(self.ok(*self.words("--report", "--json")))["tables"]]
        self.assertAlmostEqual(final["mean"], expected, delta=1e-9)
        late_rows = [row for r in (1, 2) for c in self.records()[f"graph-k2-{r}.json"]["cases"] for row in c["errors"][-2:]]
        self.assertAlmostEqual(late["mean"], sum(map(sum, late_rows)) / 16, delta=1e-9)

    def test_a_killed_job_goes_on_with_the_same_numbers(self):
        self.family(steps=3000)
        graph = self.words("--arms", "graph", "--seeds", "1")
        loud = [word for word in graph if word != "--quiet"]
        self.assertEqual(run_until_it_steps(*loud)[0], 130)
        (record,) = self.records().values()
        self.assertTrue(0 < record["train_steps"] < 3000 and not record["cases"])
        self.assertEqual(run_until_it_steps(*loud, kind=signal.SIGKILL)[0], -signal.SIGKILL)
        self.ok(*graph)
        interrupted = self.records()
        self.results = self.path / "again"
        self.ok(*self.words("--arms", "graph", "--seeds", "1"))
        self.assertEqual(interrupted, self.records())

    def test_mistakes_in_an_experiment_are_told_when_it_is_read(self):
        arms, (table, *_) = EXPERIMENT["arms"], EXPERIMENT["tables"]
        changes = [("which none of its families has", {"tables": [{**table, "field": "w"}]}),
                   ("is not a name", {"tables": [{**table, "field": 3}]})]
        changes += [("is not [mean, deviation]", {"tables": [{**table, "paper": {"graph": pair}}]})
                    for pair in (["x", None], [None, 1], [], [1, "x"], 1)]
        changes += [("whole number from 1 to 16", {"arms": [arms[0], {**arms[1], "rounds": rounds}]})
                    for rounds in (4294967298, 0, -1, 17, 2.5, "2")]
        changes += [("seed 1 appears twice", {"seeds": [1, 2, 1]}), ('arm "graph" appears twice', {"arms": [arms[1], arms[1]]}),
                    ('no key "claim"', {"claim": []}), ('no key "round"', {"arms": [{**arms[1], "round": 2}]}),
                    ('no key "able"', {"tables": [{**table, "able": 1}]}),
                    ('no key "es"', {"claims": [{**EXPERIMENT["claims"][0], "es": 1}]}),
                    ('no key "value"', {"cases": [{"name": "n", "structure": "s", "values": "k=1", "value": 1}]})]
        changes += [('"seeds" must hold 1 to 32 numbers', {"seeds": seeds}) for seeds in ([], list(range(33)), 1)]
        changes += [("a seed must be a whole number, not negative", {"seeds": [1, seed]}) for seed in (-1, 1.5, "2")]
        changes += [('"cases" must hold 1 to 64 cases', {"cases": cases}) for cases in ([], [f"c{i}" for i in range(65)])]
        changes += [("is not a case of this experiment", {"tables": [{**table, "cases": [case]}]}) for case in ("nowhere", 3)]
        changes += [("more than 32 tables", {"tables": [table] * 33}), ("more than 32 claims", {"claims": EXPERIMENT["claims"] * 33})]
        changes += [('a table needs "title", "measure" and a positive "unit"', {"tables": [{**table, **wrong}]})
                    for wrong in ({"unit": 0}, {"unit": -1}, {"title": 3}, {"measure": None})]
        for sentence, change in changes:
            self.experiment.write_text(json.dumps({**EXPERIMENT, **change}))
            self.fails(2, sentence, *self.words("--report"))
        self.fails(2, sentence, *self.words())
        self.assertFalse(self.results.exists())
        folder = self.path / "folder.json"
        folder.mkdir()
        self.fails(8, "Is a directory", "reproduce", folder)

    def test_no_name_makes_a_file_outside_the_folder(self):
        arm = EXPERIMENT["arms"][1]
        before = sorted(self.path.rglob("*"))
        for sentence, change in [("not a valid name of an arm", {"descriptor": "../../graph"}), ("not a valid name of an arm", {"descriptor": "/graph"}),
                                 ("not a valid name of an arm", {"descriptor": ".."}), ("not a valid name of an arm", {"name": "../graph"}),
                                 ("not a valid name of an arm", {"name": "a,b"}), ("not a valid name of an arm", {"name": ""}),
                                 ("not a valid name of a problem file", {"family": "sub/..."}), ("not a valid name of a problem file", {"family": ".."}),
                                 ("not a valid name of a problem file", {"family": "sub/"})]:
            self.experiment.write_text(json.dumps({**EXPERIMENT, "arms": [EXPERIMENT["arms"][0], {**arm, **change}]}))
            self.fails(2, sentence, *self.words())
        self.assertEqual(before, sorted(self.path.rglob("*")))

    @staticmethod
    def children_of(parent):
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(stat.parent.name))
        return found

    @staticmethod
    def runs(process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_children_of_a_killed_call_save_and_end(self):
        self.family(steps=1000000)
        call = subprocess.Popen([ANSATZ, *map(str, self.words("--arms", "graph", "--jobs", "2"))])
        self.addCleanup(call.kill)
        until = time.monotonic() + 60
        while time.monotonic() < until and len(list((self.results / "small").glob("*.json"))) < 2:
            time.sleep(0.02)
        children = self.children_of(call.pid)
        self.assertEqual(len(children), 2)
        call.send_signal(signal.SIGKILL)
        call.wait()
        while time.monotonic() < until and any(map(self.runs, children)):
            time.sleep(0.02)
        self.assertEqual([child for child in children if self.runs(child)], [])
        self.assertEqual(len(list((self.results / "small").glob("*.safetensors"))), 2)

    def test_a_job_that_is_killed_has_failed(self):
        self.family(steps=1000000)
        call = subprocess.Popen([ANSATZ, *map(str, self.words("--arms", "graph", "--jobs", "2"))])
        self.addCleanup(call.kill)
        until = time.monotonic() + 60
        while time.monotonic() < until and len(list((self.results / "small").glob("*.json"))) < 2:
            time.sleep(0.02)
        for child in self.children_of(call.pid):
            os.kill(child, signal.SIGKILL)
        self.assertEqual(call.wait(60), 6)

    def test_records_of_other_settings_are_not_mixed_in(self):
        scratch = self.words("--arms", "scratch", "--seeds", "1")
        self.ok(*scratch)
        self.family(steps=21)
        done = run(*scratch)
        self.assertIn("other settings", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        report = run(*self.words("--report"))
        self.assertIn("other settings", report.stderr)
        self.assertIn("0 of 2", report.stdout)

    def test_records_of_another_version_or_network_are_not_mixed_in(self):
        graph = self.words("--arms", "graph", "--seeds", "1")
        self.ok(*graph)
        (path,) = self.results.glob("*/graph*-1.json")
        whole = json.loads(path.read_text())
        version = self.ok("--version").split()[1:]
        self.assertEqual(whole["version"].split(), version)
        for key, value, reason in [("version", "0.1.0", "another version"),
                                   ("version", "0.2.0 abc1234", None),  # the same numbers
                                   ("version", version[0] + " abc1234", None),
                                   ("parameters", whole["parameters"] + 1, "another network")]:
            path.write_text(json.dumps({**whole, key: value}))
            done, report = run(*graph), run(*self.words("--report"))
            self.assertEqual(done.returncode != 0, reason is not None)
            self.assertIn(reason or "", done.stderr)
            self.assertIn(reason or "", report.stderr)

    def test_an_experiment_can_add_cases_to_the_records_of_another(self):
        scratch = self.words("--arms", "scratch", "--seeds", "1")
        self.ok(*scratch)
        before = self.records()["none-1.json"]["cases"]
        values = "eps_u=0.01, a_u=0.5, rho_u=1, eps_v=0.01, a_v=0.5, rho_v=1"
        more = {"name": "mild", "structure": "uncoupled", "values": values}
        for case in [{**more, "values": 1}, {**more, "values": "x" * 512}, {"name": "mild"}, "H1", 3]:
            self.experiment.write_text(json.dumps({**EXPERIMENT, "cases": ["H1", "H2", case]}))
            self.fails(2, "case", *scratch)
        self.experiment.write_text(json.dumps({**EXPERIMENT, "cases": ["H1", "H2", more]}))
        self.assertIn("The 0 jobs recorded, of 4,", self.ok(*self.words("--report")))
        self.ok(*scratch)
        self.assertIn("The 1 jobs recorded, of 4,", self.ok(*self.words("--report")))
        after = self.records()["none-1.json"]["cases"]
        self.assertEqual(after[:2], before)
        self.assertEqual((after[2]["name"], after[2]["choice"]), ("mild", "uncoupled " + values))
        more["values"] = values.replace("0.5", "0.6")
        self.experiment.write_text(json.dumps({**EXPERIMENT, "cases": ["H1", "H2", more]}))
        for words in [scratch, self.words("--report")]:
            self.assertIn("other cases of the same names", run(*words).stderr)

    def test_a_training_that_comes_again_is_not_added_to_its_time(self):
        graph = self.words("--arms", "graph", "--seeds", "1")
        self.ok(*graph)
        record = next(self.results.rglob("graph*-1.json"))
        data = json.loads(record.read_text())
        record.write_text(json.dumps({**data, "train_seconds": 1e6, "cases": data["cases"][:1]}))
        record.with_suffix(".safetensors").unlink()
        self.ok(*graph)
        again = json.loads(record.read_text())
        self.assertLess(again["train_seconds"], 1e5)
        self.assertEqual([case["final"] for case in again["cases"]], [case["final"] for case in data["cases"]])

    def test_names_that_would_be_cut_are_refused(self):
        self.results = self.path / "/".join(["long" * 50] * 5)
        done = run(*self.words("--arms", "scratch", "--seeds", "1"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("too long for a record", done.stderr)

    def test_a_damaged_record_counts_for_nothing(self):
        scratch = self.words("--arms", "scratch", "--seeds", "1")
        self.ok(*scratch)
        (path,) = self.results.glob("*/none-1.json")
        text = path.read_text()
        whole = json.loads(text)
        first = whole["cases"][0]
        for wrong in [{**first, "errors": [*first["errors"][:-1], [None, "x"]]}, {**first, "errors": [*first["errors"][:-1], [1, -1]]},
                      {**first, "steps": [str(step) for step in first["steps"]]}, {**first, "residual": None},
                      {**first, "returns": "one"}]:
            path.write_text(json.dumps({**whole, "cases": [wrong, *whole["cases"][1:]]}))
            self.assertIn("not a record", run(*self.words("--report")).stderr)
            self.assertEqual(run(*scratch).returncode, 5)
        path.write_text(json.dumps({**whole, "rounds": whole["rounds"] + 2**32}))
        self.assertIn("not a record", run(*self.words("--report")).stderr)
        for key, value in [("seed", 2), ("rounds", 1), ("descriptor", "graph")]:
            path.write_text(json.dumps({**whole, key: value}))
            self.assertIn("another seed, descriptor", run(*self.words("--report")).stderr)
        path.write_text(json.dumps({**whole, "train_returns": 1, "cases": [{**first, "returns": 2}, *whole["cases"][1:]]}))
        self.assertIn("3 times a run diverged", self.ok(*self.words("--report")))

    def test_a_checkpoint_without_its_record_is_refused(self):
        graph = self.words("--arms", "graph", "--seeds", "1")
        self.ok(*graph)
        (path,) = self.results.glob("*/graph*-1.json")
        path.unlink()
        done = run(*graph)
        self.assertEqual(done.returncode, 5)
        self.assertIn("belongs to a record that no longer exists", done.stderr)

    def test_more_evaluations_than_a_record_holds_are_refused(self):
        (self.path / "small.pde").write_text(SMALL.format(family=ROOT / "families/fisher.pde", steps=20).replace("adapt steps 20", "adapt steps 5110"))
        self.experiment.write_text(json.dumps({**EXPERIMENT, "evaluate": 9}))
        done = run(*self.words("--arms", "scratch"))
        self.assertEqual(done.returncode, 2)
        self.assertIn('raise "evaluate"', done.stderr)

    def test_a_signal_reaches_every_job(self):
        self.family(steps=1000000)
        words = self.words("--arms", "graph", "--jobs", "2")
        process = subprocess.Popen([ANSATZ, *map(str, words)], stdout=subprocess.PIPE, text=True)
        while len(list(self.results.glob("*/*.json"))) < 2 and process.poll() is None:
            time.sleep(0.02)
        process.terminate()
        told, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertIn("2 interrupted, 0 failed", told)
        self.assertEqual(len(list(self.results.glob("*/*.safetensors"))), 2)

    def test_failures_say_what_failed_by_their_code(self):
        self.assertEqual(run("reproduce", self.experiment, "--out", "/proc/none").returncode, 8)
        self.assertEqual(run("reproduce", self.path / "none.json").returncode, 8)
        (self.path / "small.pde").write_text("coordinate x\n")
        self.assertEqual(run(*self.words()).returncode, 3)
        self.assertEqual(run(*self.words("--report")).returncode, 3)
        self.assertEqual(run(*self.words("--report", "--json", "--figures", self.path)).returncode, 2)
        for words in [["--summary"], ["--report", "--summary", "--json"], ["--report", "--summary", "--figures", self.path]]:
            self.assertEqual(run(*self.words(*words)).returncode, 2)

    def test_a_name_of_any_bytes_can_be_told_as_json(self):
        odd = self.path / "caf\udce9.json"
        odd.write_text(json.dumps(EXPERIMENT))
        for more in [["--arms", "scratch", "--seeds", "1"], ["--report"]]:
            told = json.loads(self.ok("reproduce", odd, "--out", self.results, "--quiet", "--json", *more))
            self.assertTrue(told["experiment"].startswith("caf"))

    def test_wrong_words_are_told(self):
        self.fails(2, "there is no experiment nonsense", "reproduce", "nonsense")
        self.fails(2, "has no arm 'vector'", *self.words("--arms", "vector"))
        self.fails(2, "has no arm ''", *self.words("--arms", ",graph"))
        self.fails(2, "has no seed '3'", *self.words("--seeds", "3"))
        self.fails(2, "has no seed ''", *self.words("--seeds", "1,,2"))
        for text, sentence in [("{", "line"), ("{}", "title"), ('{"title": "t", "evaluate": 0}', "evaluate"), ('{"title": "t", "arms": []}', "arms")]:
            self.experiment.write_text(text)
            self.fails(2, sentence, *self.words())
        for measure in ["finall", "step:", "step:5x", "hits:-1", "first:", "seconds:never"]:
            for part in ["tables", "claims"]:
                entry = {**EXPERIMENT[part][0], "measure": measure}
                self.experiment.write_text(json.dumps({**EXPERIMENT, part: [entry]}))
                self.fails(2, f'the measure "{measure}"; there are', *self.words())

    def test_the_family_says_when_to_evaluate_if_the_experiment_does_not(self):
        self.experiment.write_text(json.dumps({key: EXPERIMENT[key] for key in EXPERIMENT if key != "evaluate"}))
        for stride, steps in [(8, [0, 8, 16, 20]), (0, [0, 20])]:
            self.family(steps=20)
            with (self.path / "small.pde").open("a") as family:
                family.write(f"override adapt evaluate {stride}\n")
            out = self.path / f"every-{stride}"
            self.ok("reproduce", self.experiment, "--out", out, "--arms", "scratch", "--seeds", "1", "--quiet")
            record = json.loads((out / "small/none-1.json").read_text())
            self.assertEqual([case["steps"] for case in record["cases"]], [steps] * 2)

    def test_the_summary_counts_verdicts_and_the_papers_claims(self):
        def counts():
            lines = self.ok(*self.words("--report", "--summary")).splitlines()
            self.assertEqual(len(lines), 3)
            return [cell.strip() for cell in lines[2].split("|")[1:-1]]

        self.assertEqual(counts(), ["`small`", "0 of 4", "0", "0", "0", "0", "0, 0", "2", "0 of 0", "0", "0, 0", "0", "1"])
        self.ok(*self.words("--arms", "graph"))
        self.assertEqual(counts(), ["`small`", "2 of 4", "0", "1", "0", "1", "0, 0", "0", counts()[8], "0", "0, 0", "1", "0"])
        self.experiment.write_text(json.dumps({**EXPERIMENT, "tables": [
            {"title": "Final error", "measure": "final", "unit": 1, "paper": {"graph": [1e9, 1]}},
            {"title": "Start", "measure": "initial", "unit": 1, "paper": {"graph": [1, None]}}], "claims": []}))
        self.assertEqual(counts(), ["`small`", "2 of 4", "0", "0", "1", "0", "1, 0", "0", "1 of 1", "0", "0, 0", "0", "0"])

    def maps(self, every=1, **more):
        self.experiment.write_text(json.dumps({**EXPERIMENT, "cases": ["H1"], "tables": [], "claims": [], "maps": every, **more}))

    def test_maps_hold_the_final_error_of_every_node(self):
        self.maps()
        self.ok(*self.words("--arms", "scratch", "--seeds", "1"))
        error = json.loads((self.results / "small/none-1.H1.map.json").read_text())
        self.assertEqual([(axis["name"], len(axis["nodes"])) for axis in error["axes"]], [("t", 101), ("x", 256)])
        self.assertEqual((error["step"], error["settings"]), (20, self.records()["none-1.json"]["settings"]))
        self.ok("reference", self.path / "small.pde", "--case", "H1", "--no-cache", "-o", self.path / "r.csv")
        names, *rows = [line.split(",") for line in (self.path / "r.csv").read_text().split()]
        for field, final in zip(error["fields"], self.records()["none-1.json"]["cases"][0]["errors"][-1]):
            exact = [float(row[names.index(field["name"])]) for row in rows]
            self.assertEqual((len(field["thousandths"]), max(field["thousandths"])), (len(exact), 1000))
            squares = sum((field["largest"] * k / 1000) ** 2 for k in field["thousandths"])
            self.assertAlmostEqual((squares / sum(e * e for e in exact)) ** 0.5 / final, 1, delta=2e-3)

    def test_maps_are_averaged_over_the_seeds_that_have_one(self):
        self.maps(every=25)
        self.ok(*self.words("--arms", "scratch"))
        figures = self.path / "figures"
        report = self.ok(*self.words("--report", "--figures", figures))
        self.assertIn("From scratch, 2 of 2 seeds.", report)
        self.assertIn("(figures/small-map-H1.png)", report)
        both = (figures / "small-map-H1.png").read_bytes()
        self.assertTrue([c for c in colours_of(figures / "small-map-H1.png") if c[0] == c[1] == 0 and c[2] > 100])  # the paper's rainbow
        files = [self.results / f"small/none-{seed}.H1.map.json" for seed in (1, 2)]
        maps = [json.loads(path.read_text()) for path in files]
        scales = [[field["largest"] for field in each["fields"]] for each in maps]
        for each in maps:  # the mean of 0 and 2 m is that of m and m
            for f, field in enumerate(each["fields"]):
                field["largest"] = 2 * scales[0][f] if each is maps[1] else 0
                field["thousandths"] = maps[0]["fields"][f]["thousandths"]
        for path, each in zip(files, maps):
            path.write_text(json.dumps(each))
        self.ok(*self.words("--report", "--figures", figures))
        mean = (figures / "small-map-H1.png").read_bytes()
        self.assertNotEqual(mean, both)
        for each in maps:
            for f, field in enumerate(each["fields"]):
                field["largest"] = scales[0][f]
        for path, each in zip(files, maps):
            path.write_text(json.dumps(each))
        self.ok(*self.words("--report", "--figures", figures))
        self.assertEqual((figures / "small-map-H1.png").read_bytes(), mean)

    def test_maps_that_do_not_belong_are_left_out(self):
        self.maps(every=25)
        self.ok(*self.words("--arms", "scratch"))
        path = self.results / "small/none-2.H1.map.json"
        good = json.loads(path.read_text())
        grid = json.loads(json.dumps(good))
        grid["axes"][0]["nodes"][1] += 0.001
        broken = json.loads(json.dumps(good))
        broken["fields"][0]["thousandths"][0] = 1001
        for wrong, sentence in (({**good, "settings": "0"}, "other settings"), ({**good, "step": 7}, "another grid"), (grid, "another grid"),
                                (broken, "is not a map"), ({**good, "axes": good["axes"][:1]}, "is not a map"), ([], "is not a map")):
            path.write_text(json.dumps(wrong))
            result = run(*self.words("--report"))
            self.assertEqual(result.returncode, 0)
            self.assertIn(sentence, result.stderr)
            self.assertIn("From scratch, 1 of 2 seeds.", result.stdout)
        path.unlink()
        self.assertIn("From scratch, 1 of 2 seeds.", self.ok(*self.words("--report")))
        (self.results / "small/none-1.H1.map.json").unlink()
        self.assertIn("no maps yet", self.ok(*self.words("--report", "--figures", self.path / "figures")))

    def test_maps_need_two_coordinates_and_plain_names(self):
        for every in (0, 65, 1.5, "2", True):
            self.maps(every=every)
            self.fails(2, '"maps" must be', *self.words())
        self.maps(cases=[{"name": "a/b", "structure": "two_way", "values": "a_u=0.3"}])
        self.fails(2, "cannot be named", *self.words())
        (self.path / "small.pde").write_text("coordinate t in [0, 1] time\nfield u\nequation u: u_t + u = 0\ninitial u = 1\ncase H1: \n")
        self.maps(arms=EXPERIMENT["arms"][:1])
        result = run(*self.words())
        self.assertEqual(result.returncode, 2)
        self.assertIn("maps need two coordinates", result.stderr)
        self.assertFalse((self.results / "small/none-1.json").exists())

    def test_every_shipped_experiment_can_be_reported(self):
        for path in sorted((ROOT / "experiments").glob("*.json")):
            report = self.ok("reproduce", path.stem, "--report", "--out", self.results)
            self.assertTrue(report.startswith("## "), path)


main()
