# SPDX-License-Identifier: Apache-2.0
"""Many targets, divided in any way and stopped at any moment: the same bytes as one run that nothing disturbed.

SHARD_KILLS=N kills N processes at random moments instead of a few."""
import fcntl
import json
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zipfile

from program import ANSATZ, ProgramTest, main, run, run_until_it_steps
from small import SMALL

ROWS = 9
KILLS = int(os.environ.get("SHARD_KILLS", "8"))


def table(rows=ROWS, seed=1):
    draw = random.Random(seed)
    lines = ["name,structure,a,D"]
    for i in range(rows):
        a, d = f"{draw.uniform(0.5, 1):.6f}", f"{draw.uniform(0.01, 0.1):.6f}"
        lines.append(f"row {i},both,{a},{d}" if i % 3 else f"row {i},moving,{a},")
    return "\n".join(lines) + "\n"


def experiment(seeds):
    return json.dumps({"title": "Small", "family": "small.pde", "seeds": seeds, "cases": ["one"],
                       "arms": [{"name": "scratch", "label": "From scratch", "descriptor": "none"}],
                       "tables": [{"title": "Final error", "measure": "final", "unit": 1, "paper": {}}], "claims": []})


def classic(path):
    """A netCDF file of the classic kind with 64-bit offsets: its attributes, and per variable the values of each record."""
    data, place = path.read_bytes(), 4

    def number():
        nonlocal place
        place += 4
        return struct.unpack_from(">i", data, place - 4)[0]

    def text():
        nonlocal place
        length = number()
        found = data[place:place + length]
        place += (length + 3) // 4 * 4
        return found.decode()

    def attributes():
        nonlocal place
        found = {}
        if number() == 0:
            number()
            return found
        for _ in range(number()):
            name, kind, count = text(), number(), number()
            size = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}[kind] * count
            found[name] = data[place:place + size].decode() if kind == 2 else data[place:place + size]
            place += (size + 3) // 4 * 4
        return found

    assert data[:4] == b"CDF\x02", data[:4]
    records, sizes, variables = number(), [], {}
    number()
    for _ in range(number()):
        sizes.append((text(), number()))
    whole = attributes()
    number()
    listed = []
    for _ in range(number()):
        name = text()
        shape = [number() for _ in range(number())]
        attributes()
        kind, size = number(), number()
        place += 8
        listed.append((name, shape, kind, size, struct.unpack_from(">q", data, place - 8)[0]))
    step = sum(size for name, shape, kind, size, begin in listed if shape and sizes[shape[0]][1] == 0)
    for name, shape, kind, size, begin in listed:
        unlimited = bool(shape) and sizes[shape[0]][1] == 0
        count = 1
        for dimension in shape[unlimited:]:
            count *= sizes[dimension][1]
        rows = []
        for r in range(records if unlimited else 1):
            at = begin + r * step
            rows.append(data[at:at + count].rstrip(b"\0").decode() if kind == 2 else
                        list(struct.unpack_from(f">{count}{ {4: 'i', 6: 'd'}[kind]}", data, at)))
        variables[name] = rows
    return whole, dict(sizes), variables


class Shards(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.base = pathlib.Path(cls.home.name)
        cls.model, cls.targets = cls.base / "small.safetensors", cls.base / "targets.csv"
        (cls.base / "small.pde").write_text(SMALL)
        cls.targets.write_text(table())
        assert run("train", cls.base / "small.pde", "-o", cls.model, "--quiet").returncode == 0
        cls.words = ["solve", cls.model, "--targets", cls.targets, "--steps", 3, "--grid", "x=8,t=5", "--quiet"]
        cls.whole = {}
        for ending in ("nc", "npz", "csv"):
            path = cls.base / f"whole.{ending}"
            assert run(*cls.words, "-o", path, "--threads", 1).returncode == 0
            cls.whole[ending] = path.read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.output = self.folder / "all.nc"

    def tearDown(self):
        self.temporary.cleanup()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def merged(self):
        self.ok("merge", self.output, "--quiet")
        self.assertEqual(self.names(), ["all.nc", "all.nc.times.csv"])
        return self.output.read_bytes()


class Division(Shards):
    def test_any_number_of_shards_and_threads_gives_the_same_bytes(self):
        for count, threads in ((2, 1), (3, 2), (4, 1), (8, 1), (12, 1)):
            for k in random.Random(count).sample(range(1, count + 1), count):
                self.ok(*self.words, "-o", self.output, "--shard", f"{k}/{count}", "--threads", threads)
            self.assertEqual(self.merged(), self.whole["nc"])
        self.ok(*self.words, "-o", self.output, "--threads", 3)
        self.assertEqual(self.output.read_bytes(), self.whole["nc"])

    def test_every_format(self):
        for ending in ("npz", "csv"):
            output = self.folder / f"all.{ending}"
            for k in (1, 2):
                self.ok(*self.words, "-o", output, "--shard", f"{k}/2")
            self.ok("merge", output, "--quiet")
            self.assertEqual(output.read_bytes(), self.whole[ending])

    def test_reports_agree(self):
        told = self.json(*self.words, "-o", self.output, "--json")
        for k in (1, 2):
            part = self.json(*self.words, "-o", self.folder / "two.nc", "--shard", f"{k}/2", "--json")
            self.assertEqual([row["name"] for row in part["targets"]], [f"row {i}" for i in range(k - 1, ROWS, 2)])
        again = self.json("merge", self.folder / "two.nc", "--json")
        for one, other in zip(told["targets"], again["targets"]):
            for key in ("seconds", "estimate_seconds"):
                one.pop(key), other.pop(key)
            self.assertEqual(one, other)
        self.assertEqual((again["rows"], again["done"], again["interrupted"]), (ROWS, ROWS, False))

    def test_what_some_began_others_finish(self):
        self.ok(*self.words, "-o", self.output, "--shard", "2/5")
        self.ok(*self.words, "-o", self.output, "--shard", "1/2")
        self.assertIn("rows are not done, the first of them row 4", self.fails(8, "", "merge", self.output))
        self.ok(*self.words, "-o", self.output)  # the rest, and the file
        self.assertEqual((self.output.read_bytes(), self.names()), (self.whole["nc"], ["all.nc", "all.nc.times.csv"]))

    def test_processes_without_fixed_parts_share_the_rows(self):
        running = [subprocess.Popen([ANSATZ, *map(str, self.words), "-o", self.output, "--shard", "any", "--threads", "1", "--json"],
                                    stdout=subprocess.PIPE, text=True) for _ in range(3)]
        rows = [row["name"] for process in running for row in json.loads(process.communicate(timeout=120)[0])["targets"]]
        self.assertEqual([process.returncode for process in running], [0, 0, 0])
        self.assertEqual(sorted(rows), [f"row {i}" for i in range(ROWS)])
        self.ok("merge", self.output, "--quiet")
        self.assertEqual(self.output.read_bytes(), self.whole["nc"])

    def order_with(self, times):
        """The rows as one process takes them, with this text beside the output as the times of an earlier run."""
        pathlib.Path(f"{self.output}.times.csv").write_bytes(times.encode())
        words = [word for word in self.words if word != "--quiet"]
        done = run(*words, "-o", self.output, "--shard", "any", "--threads", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        part = (self.folder / "all.nc.part-any-1").read_bytes()
        taken = sorted(range(ROWS), key=lambda row: part.index(f"row {row}\0".encode()))
        self.ok("merge", self.output, "--quiet")
        self.assertEqual(self.output.read_bytes(), self.whole["nc"])
        return taken, done.stderr

    def test_the_longest_rows_are_taken_first(self):
        seconds = {0: "0.5", 1: "7", 2: "0.25", 3: "7", 4: "12", 5: "1e1", 6: "0.5", 7: "3", 8: "2"}
        head, lines = "row,name,status,seconds,whole_seconds\n", {row: f'{row},"row {row}",solved,0,{time}\n' for row, time in seconds.items()}
        by_length = [4, 5, 1, 3, 7, 8, 0, 6, 2]
        taken, told = self.order_with(head + "".join(lines.values()))
        self.assertEqual(taken, by_length)
        self.assertIn("processing the longest rows first", told)
        # The time of row 8 is not known: it may be the longest.
        lines[8] = '8,"row 8",missing,0,0\n'
        self.assertEqual(self.order_with(head + "".join(lines.values()))[0], [8] + [row for row in by_length if row != 8])
        # The processor's seconds count where they are known: the clock of a busy machine says little.
        head_of_both = head.replace("whole_seconds", "whole_seconds,processor_seconds")
        lines = [f'{row},"row {row}",solved,0,{row},{time}\n' for row, time in seconds.items()]
        self.assertEqual(self.order_with(head_of_both + "".join(lines))[0], by_length)
        # Of another table, or of none.
        for text in (head + '0,"row 5",solved,0,1\n99,"row 0",solved,0,1\n-1,x,solved,0,1\n0,"row 0",solved,0,nan\n', head, "", "a,b\n1\n"):
            taken, told = self.order_with(text)
            self.assertEqual((taken, "taken first" in told), (list(range(ROWS)), False))

    def test_a_process_that_comes_late_knows_what_others_have_done(self):
        """The first part is in the hands of another process, and has rows already."""
        self.ok(*self.words, "-o", self.output, "--shard", "any", "--threads", 1)
        part = self.folder / "all.nc.part-any-1"
        self.assertEqual(self.names(), ["all.nc.claims", "all.nc.part-any-1"])
        with part.open("r+b") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            self.assertEqual(self.json(*self.words, "-o", self.output, "--shard", "any", "--json")["targets"], [])
            told = self.json(*self.words, "-o", self.output, "--shard", "1/2", "--json")["targets"]
            self.assertEqual([row["name"] for row in told], [f"row {i}" for i in range(0, ROWS, 2)])
            whole = run("merge", self.output, "--keep", "--quiet")
            self.assertEqual((whole.returncode, self.output.read_bytes()), (0, self.whole["nc"]))

    def test_partial(self):
        self.ok(*self.words, "-o", self.output, "--shard", "1/2")
        self.ok("merge", self.output, "--partial", "--quiet")
        rows = classic(self.output)[2]
        self.assertEqual(rows["status"], ["solved", "missing"] * 4 + ["solved"])
        self.assertTrue(all(value != value for value in rows["u"][1]))
        self.ok(*self.words, "-o", self.output, "--shard", "2/2")
        self.assertEqual(self.merged(), self.whole["nc"])


class File(Shards):
    def test_what_the_file_holds(self):
        self.targets.write_text(table() + "bad,both,7,0.05\n")
        self.addCleanup(self.targets.write_text, table())
        done = run(*self.words, "-o", self.output, "--check", "--json")
        self.assertEqual(done.returncode, 2)
        told = json.loads(done.stdout)["targets"]
        whole, sizes, rows = classic(self.output)
        self.assertEqual((sizes["x"], sizes["t"], len(rows["u"]), len(rows["u"][0])), (8, 5, ROWS + 1, 40))
        self.assertEqual(rows["name"], [row["name"] for row in told])
        self.assertEqual(rows["structure"], ["moving", "both", "both"] * 3 + [""])
        self.assertEqual(rows["status"], ["solved"] * ROWS + ["failed"])
        self.assertIn("outside its", rows["failure"][-1])
        self.assertEqual([row[0] for row in rows["target"]], list(range(ROWS + 1)))
        for i, row in enumerate(told[:-1]):
            self.assertEqual((rows["steps"][i], rows["residual"][i], rows["estimate_u"][i], rows["error_u"][i], rows["trusted"][i]),
                             ([row["steps"]], [row["residual"]], [row["estimate"]["u"]], [row["error"]["u"]], [row["trusted"]]))
        cells = [line.split(",") for line in table().splitlines()[1:]]
        self.assertEqual([row[0] for row in rows["a"][:-1]], [float(line[2]) for line in cells])
        self.assertEqual([row[0] for row in rows["D"][:-1] if row[0] == row[0]], [float(line[3]) for line in cells if line[3]])
        self.assertTrue(all(value != value for value in rows["u"][-1]))
        self.assertIn("steps 3", whole["settings"])
        self.assertIn("equation u", whole["problem"])
        times = (self.folder / "all.nc.times.csv").read_text().splitlines()
        self.assertEqual((times[0], len(times)), ("row,name,status,seconds,whole_seconds,processor_seconds", ROWS + 2))

    def test_a_row_is_the_equation_solved_alone(self):
        alone = self.folder / "alone.csv"
        cells = table().splitlines()[2].split(",")
        self.ok("solve", self.model, "--structure", "both", "--set", f"a={cells[2]},D={cells[3]}", "--steps", 3, "--grid", "x=8,t=5",
                "-o", alone, "--quiet")
        values = [float(line.split(",")[-1]) for line in alone.read_text().splitlines() if line[0] in "01"]
        (self.folder / "all.nc").write_bytes(self.whole["nc"])
        self.assertEqual(classic(self.output)[2]["u"][1], values)

    def test_numpy_archives(self):
        (self.folder / "all.npz").write_bytes(self.whole["npz"])
        archive = zipfile.ZipFile(self.folder / "all.npz")
        self.assertIsNone(archive.testzip())
        for name in ("u", "t", "x", "target", "name", "status", "steps", "a", "D", "ansatz_settings"):
            self.assertIn(f"{name}.npy", archive.namelist())
        self.assertIn(b"'shape': (9,5,8,)", archive.read("u.npy")[:128])
        self.assertIn(b"row 8", archive.read("name.npy"))

    def test_patterns(self):
        self.ok(*self.words, "--save", self.folder / "{name}.solver", "--figure", self.folder / "f-{row}.svg")
        self.assertEqual(self.names(), sorted([f"row {i}.solver" for i in range(ROWS)] + [f"f-{i + 1}.svg" for i in range(ROWS)]))
        self.ok("eval", self.folder / "row 3.solver", "--at", "x=0.5,t=0.5")
        plain = ["solve", self.model, "--targets", self.targets, "--steps", 1]
        for option in ("--save", "--figure"):
            self.fails(2, "needs {row} or {name}", *plain, option, self.folder / "one.svg")
        self.targets.write_text("name,structure,a\nsame,moving,0.7\nsame,moving,0.8\n")
        self.addCleanup(self.targets.write_text, table())
        self.fails(2, "two rows would write", *plain, "--save", self.folder / "{name}.solver")

    @unittest.skipIf(b"__asan_init" in pathlib.Path(ANSATZ).read_bytes(), "a sanitizer keeps what was freed")
    def test_memory_does_not_grow_with_the_rows(self):
        def most(rows):
            path, output = self.folder / "many.csv", self.folder / "many.nc"
            path.write_text(table(rows))
            words = ["solve", self.model, "--targets", path, "--steps", 0, "--grid", "x=64,t=64", "--quiet", "--threads", 1, "-o", output]
            process = subprocess.Popen([ANSATZ, *map(str, words)], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss * 1024, output.stat().st_size
        few, many = most(10), most(410)
        self.assertGreater(many[1] - few[1], 400 * 64 * 64 * 8)  # 13 MB of fields
        self.assertLess(many[0] - few[0], 2 << 20)


class Refusals(Shards):
    def test_shards_that_are_none(self):
        for text in ("0/0", "5/4", "0/4", "-1/4", "1/", "/4", "a/b", "1/2/3", "1.5/2", "", "1/99999999999999999999", "auto/0", "auto/x", "Auto"):
            self.fails(2, "--shard", *self.words, "-o", self.output, "--shard", text)
        self.assertEqual(self.names(), [])
        self.fails(2, "--shard needs --output", "solve", self.model, "--targets", self.targets, "--shard", "1/2")
        self.fails(2, "--targets", "solve", self.model, "--case", "one", "--shard", "1/2")

    def test_other_settings_are_not_mixed(self):
        self.ok(*self.words, "-o", self.output, "--shard", "1/2")
        before = self.names()
        for words, sentence in ((["--seed", 7], "made with --seed 101, and this run has --seed 7"),
                                (["--check"], "no --check"), (["--rate", 0.5], "--rate 0.5")):
            self.assertIn(sentence, self.fails(5, "", *self.words, "-o", self.output, "--shard", "2/2", *words))
        self.assertIn("--steps 3, and this run has --steps 4", self.fails(5, "", *[4 if word == 3 else word for word in self.words],
                                                                          "-o", self.output, "--shard", "2/2"))
        self.targets.write_text(table(seed=2))
        self.addCleanup(self.targets.write_text, table())
        self.fails(5, "made with the table", *self.words, "-o", self.output, "--shard", "2/2")
        self.assertEqual(self.names(), before)

    def test_parts_of_different_settings_are_not_merged(self):
        self.ok(*self.words, "-o", self.output, "--shard", "1/2")
        self.ok(*self.words, "-o", self.folder / "b.nc", "--shard", "2/2", "--seed", 7)
        (self.folder / "b.nc.part-2-of-2").rename(self.folder / "all.nc.part-2-of-2")
        self.fails(5, "--seed", "merge", self.output)

    def test_nothing_to_merge(self):
        self.fails(8, "there is no", "merge", self.output)

    def test_damaged_parts(self):
        self.ok(*self.words, "-o", self.output, "--shard", "1/2")
        self.ok(*self.words, "-o", self.output, "--shard", "2/2")
        path = self.folder / "all.nc.part-2-of-2"
        whole, draw = path.read_bytes(), random.Random(3)
        begin = whole.index(b"ans-row\n")
        for trial in range(40):
            content = bytearray(whole)
            if trial % 2:
                del content[draw.randrange(len(whole)):]
            else:
                content[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
            path.write_bytes(bytes(content))
            done = run("merge", self.output, "--keep", "--quiet")
            if done.returncode == 0:  # a bit of a number that nothing depends on: the seconds are not written here
                self.assertEqual(self.output.read_bytes(), self.whole["nc"])
            else:
                self.assertIn(done.returncode, (3, 5, 8), done.stderr)
                self.assertTrue(done.stderr.startswith("ansatz: error:") or "error:" in done.stderr)
        path.write_bytes(whole[:begin])
        self.ok(*self.words, "-o", self.output, "--shard", "2/2")
        self.assertEqual(self.merged_bytes(), self.whole["nc"])

    def merged_bytes(self):
        self.ok("merge", self.output, "--quiet")
        return self.output.read_bytes()

    def test_one_process_for_one_shard(self):
        slow = [100000000 if word == 3 else word for word in self.words]
        process = subprocess.Popen([ANSATZ, *map(str, slow), "-o", self.output, "--shard", "1/2", "--method", "adam"], stdout=subprocess.DEVNULL)
        try:
            while not (self.folder / "all.nc.part-1-of-2").exists():
                time.sleep(0.02)
            time.sleep(0.3)
            self.fails(8, "another run is writing", *slow, "-o", self.output, "--shard", "1/2", "--method", "adam")
        finally:
            process.kill()
            process.wait()

    def test_a_full_disk_loses_nothing(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000))
        done = subprocess.run([ANSATZ, *map(str, self.words), "-o", self.output, "--threads", "1"], capture_output=True, text=True, preexec_fn=limit)
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.names(), ["all.nc.part-1-of-1"])
        again = run(*[word for word in self.words if word != "--quiet"], "-o", self.output)
        self.assertRegex(again.stderr, "[1-8] of 9 rows are already done")
        self.assertEqual(self.output.read_bytes(), self.whole["nc"])


class Machines(Shards):
    def rows(self, text="auto", **variables):
        done = run(*self.words, "-o", self.output, "--shard", text, "--json", environment=variables)
        for path in self.folder.iterdir():
            path.unlink()
        if done.returncode:
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            return done.stderr
        return [int(row["name"][4:]) for row in json.loads(done.stdout)["targets"]]

    def test_arrays(self):
        slurm = dict(SLURM_ARRAY_TASK_ID="7", SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_MAX="7", SLURM_ARRAY_TASK_STEP="2", SLURM_ARRAY_TASK_COUNT="3")
        self.assertEqual(self.rows(**slurm), [2, 5, 8])
        self.assertEqual(self.rows(SGE_TASK_ID="2", SGE_TASK_FIRST="1", SGE_TASK_LAST="3", SGE_TASK_STEPSIZE="1"), [1, 4, 7])
        self.assertEqual(self.rows(LSB_JOBINDEX="3", LSB_JOBINDEX_END="3", LSB_JOBINDEX_STEP="1"), [2, 5, 8])
        self.assertEqual(self.rows("auto/3", PBS_ARRAY_INDEX="1"), [0, 3, 6])
        self.assertEqual(self.rows("auto/3", PBS_ARRAYID="3"), [2, 5, 8])
        self.assertEqual(self.rows("auto/4", HQ_TASK_ID="4"), [3, 7])
        self.assertEqual(self.rows(OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_SIZE="4"), [1, 5])
        self.assertEqual(self.rows(SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="2", **slurm), [4])  # two processes in the third of three jobs

    def test_arrays_that_tell_too_little(self):
        self.assertIn("in no array", self.rows())
        self.assertIn("auto/N", self.rows(PBS_ARRAY_INDEX="1"))
        self.assertIn("not in 1 to 3", self.rows("auto/3", PBS_ARRAY_INDEX="0"))
        self.assertIn("auto/N", self.rows(SLURM_ARRAY_TASK_ID="7", SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_MAX="7", SLURM_ARRAY_TASK_COUNT="2"))
        self.assertIn("in no array", self.rows(SGE_TASK_ID="undefined"))

    def test_threads_of_a_job(self):
        def threads(**variables):
            self.empty()
            words = ["reproduce", self.base / "experiment.json", "--out", self.folder, "--quiet"]
            self.ok(*words, environment={"OMP_NUM_THREADS": "", **variables})
            return json.loads(next(self.folder.rglob("none-1.json")).read_text())["machine"]
        (self.base / "experiment.json").write_text(experiment([1]))
        self.addCleanup(self.empty)
        self.assertEqual(threads(OMP_NUM_THREADS="3"), "3 threads")
        self.assertEqual(threads(SLURM_CPUS_PER_TASK="5"), "5 threads")
        self.assertEqual(threads(OMP_NUM_THREADS="2,4", SLURM_CPUS_PER_TASK="5"), "2 threads")

    def empty(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()


class Endings(Shards):
    def test_a_signal_ends_a_run_that_goes_on_later(self):
        slow = [2000 if word == 3 else word for word in self.words if word != "--quiet"] + ["--method", "adam", "--threads", 1]
        self.ok(*slow, "--quiet", "-o", self.folder / "calm.nc")
        for kind, code in ((signal.SIGTERM, 143), (signal.SIGUSR1, 138), (signal.SIGINT, 130)):
            words = [*slow, "-o", self.output]
            found, printed = run_until_it_steps(*words, kind=kind)
            self.assertEqual(found, code)
            self.assertFalse(self.output.exists())
            done = run(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.output.read_bytes(), (self.folder / "calm.nc").read_bytes())
            self.output.unlink()

    def kill_until_done(self, count, words, started=()):
        """Processes of one run, killed at random, until `count` were killed and the rest could finish."""
        draw, killed, alive = random.Random(count), 0, {}
        while True:
            for k in range(len(words)):
                if k not in alive:
                    alive[k] = subprocess.Popen([ANSATZ, *map(str, words[k])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if killed >= count:
                break
            time.sleep(draw.uniform(0.0, 0.25))
            victim = draw.randrange(len(words))
            if alive[victim].poll() is None:
                alive[victim].send_signal(draw.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
                killed += 1
            alive[victim].communicate(timeout=120)
            self.assertIn(alive[victim].returncode, (0, -9, 143, -15))
            del alive[victim]
        for process in alive.values():
            error = process.communicate(timeout=300)[1]
            self.assertEqual(process.returncode, 0, error)
        return killed

    def test_killed_at_random(self):
        slow = [400 if word == 3 else word for word in self.words] + ["--method", "adam", "--threads", 1]
        self.ok(*slow, "-o", self.folder / "calm.nc")
        calm, killed = (self.folder / "calm.nc").read_bytes(), 0
        for count in (1, 2, 3, 4, 8):
            killed += self.kill_until_done(-(-KILLS // 6), [[*slow, "-o", self.output, "--shard", f"{k + 1}/{count}"] for k in range(count)])
            if count > 1:
                self.ok("merge", self.output, "--quiet")
            self.assertEqual(self.output.read_bytes(), calm)
            self.output.unlink()
        killed += self.kill_until_done(-(-KILLS // 6), [[*slow, "-o", self.output, "--shard", "any"]] * 3)
        self.ok("merge", self.output, "--quiet")
        self.assertEqual(self.output.read_bytes(), calm)
        self.assertGreaterEqual(killed, KILLS)
        print(f"{killed} processes were killed")


class Others(Shards):
    def test_seeds(self):
        words = ["train", self.base / "small.pde", "-o", self.folder / "m-{seed}", "--seeds", "5,6,7", "--steps", 4, "--quiet"]
        self.ok(*words)
        self.assertEqual(self.names(), ["m-5", "m-6", "m-7"])
        whole = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        for k in (1, 2):
            for path in self.folder.iterdir():
                path.unlink()
            self.ok(*words, "--shard", f"{k}/2")
            self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()},
                             {name: whole[name] for name in (("m-5", "m-7") if k == 1 else ("m-6",))})
        (self.folder / "m-6").touch()
        before = (self.folder / "m-6").stat().st_mtime_ns
        self.ok(*words, "--resume")
        self.assertEqual((self.names(), (self.folder / "m-6").stat().st_mtime_ns), (["m-5", "m-6", "m-7"], before))
        self.fails(2, "needs {seed}", "train", self.base / "small.pde", "-o", self.folder / "m", "--seeds", "5,6")
        for text in ("", "5,", "x", "5;6", "5,5", "-1"):
            self.fails(2, "--seeds", "train", self.base / "small.pde", "-o", self.folder / "m-{seed}", "--seeds", text)

    def test_experiments(self):
        (self.base / "small.json").write_text(experiment([1, 2, 3]))
        words = ["reproduce", self.base / "small.json", "--out", self.folder / "results", "--quiet", "--json"]
        self.assertEqual(self.json(*words, "--shard", "2/2")["done"], 1)
        self.assertEqual(len(list((self.folder / "results").rglob("none-*.json"))), 1)
        self.assertEqual(self.json(*words, "--shard", "1/2")["done"], 2)
        self.assertEqual(len(list((self.folder / "results").rglob("none-*.json"))), 3)
        self.fails(2, "--shard 3/2", *words, "--shard", "3/2")


main()
