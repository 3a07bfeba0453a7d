# SPDX-License-Identifier: Apache-2.0
"""One command started as several processes by mpirun: rows are shared by any build, a training by one with MPI.

ANSATZ_MPI=yes: the program was built with MPI. ANSATZ_MPIRUN: the mpirun of that MPI, where there are several."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import ANSATZ, ProgramTest, main, run
from small import SMALL

WITH_MPI = os.environ.get("ANSATZ_MPI") == "yes"
MPIRUN = os.environ.get("ANSATZ_MPIRUN") or shutil.which("mpirun")
# More processes than cores: Open MPI wants to be told, in words that changed from one version to the next.
OVER = ("--oversubscribe",) if MPIRUN and "Open MPI" in subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout else ()
LONG = 30000  # steps of a row: seconds, so that a rank is killed while it works
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "TERM": "dumb"}


def start(count, *words, options=()):
    return subprocess.Popen([MPIRUN, *OVER, *options, "-n", str(count), ANSATZ, *map(str, words)], env=ENVIRONMENT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def mpirun(count, *words, options=()):
    process = start(count, *words, options=options)
    printed, told = process.communicate(timeout=240)
    return process.returncode, printed, told


def children_of(pid):
    """Of whichever of its threads."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def ranks_of(pid):
    """Processes that have started no other: MPICH has one between mpirun and the ranks."""
    children = children_of(pid)
    return [rank for child in children for rank in ranks_of(child)] if children else [pid]


class Started(ProgramTest):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.family = self.folder / "small.pde"
        self.family.write_text(SMALL)
        self.model = self.folder / "alone.model"
        self.ok("train", self.family, "-o", self.model, "--quiet", "--threads", 1)
        draw = random.Random(4)
        (self.folder / "t.csv").write_text("name,structure,a,D\n" + "".join(
            f"r{i},both,{draw.uniform(0.5, 1):.5f},{draw.uniform(0.01, 0.1):.5f}\n" for i in range(8)))
        self.output = self.folder / "all.nc"

    def words(self, steps, output):
        return ["solve", self.model, "--targets", self.folder / "t.csv", "--steps", steps, "--method", "adam", "--grid", "x=8,t=5",
                "--threads", 1, "--quiet", "-o", output]


class Environment(Started):
    """What mpirun tells a process, without mpirun."""
    def test_a_build_without_mpi_says_so(self):
        if WITH_MPI:
            self.skipTest("built with MPI")
        for names in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")):
            words = ["train", self.family, "-o", self.folder / "m", "--quiet"]
            done = run(*words, environment=dict(zip(names, ("0", "3"))))
            self.assertEqual((done.returncode, done.stderr.count("built without MPI")), (4, 1))
            done = run(*words, environment=dict(zip(names, ("1", "3"))))
            self.assertEqual((done.returncode, done.stderr), (4, ""))
            self.assertEqual(run(*words, environment=dict(zip(names, ("0", "1")))).returncode, 0)

    def test_rows_need_an_output(self):
        self.fails(2, "needs --output", "solve", self.model, "--targets", self.folder / "t.csv", "--steps", 1,
                   environment={"PMI_RANK": "0", "PMI_SIZE": "2"})


@unittest.skipUnless(MPIRUN, "mpirun is not installed")
class Ranks(Started):
    def test_rows_are_shared(self):
        self.ok(*self.words(20, self.folder / "calm.nc"))
        for count in (1, 2, 3, 8):
            code, printed, told = mpirun(count, *self.words(20, self.output))
            self.assertEqual(code, 0, told)
            self.assertEqual(printed.count("wrote"), 1)
            self.assertEqual(self.output.read_bytes(), (self.folder / "calm.nc").read_bytes())
            self.assertEqual(sorted(path.name for path in self.folder.glob("all.nc*")), ["all.nc", "all.nc.times.csv"])
            self.output.unlink()

    def test_rows_of_a_killed_rank_are_done_again(self):
        self.ok(*self.words(LONG, self.folder / "calm.nc"))
        kills = 0
        for options in ((), ("--enable-recovery",)):  # the second is not known to every version, which then starts nothing
            process = start(3, *self.words(LONG, self.output), options=options)
            deadline = time.monotonic() + 60
            while len(list(self.folder.glob("all.nc.part-any-*"))) < 3 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            if process.poll() is None:
                kills += 1
                os.kill(ranks_of(process.pid)[-1], signal.SIGKILL)
            process.communicate(timeout=240)
            if not self.output.exists():  # mpirun ends all when one is killed; the next run goes on
                self.assertEqual(mpirun(2, *self.words(LONG, self.output))[0], 0)
            self.assertEqual(self.output.read_bytes(), (self.folder / "calm.nc").read_bytes())
            self.output.unlink()
        self.assertGreater(kills, 0)

    @unittest.skipUnless(WITH_MPI, "built without MPI")
    def test_any_number_of_ranks_trains_the_same_model(self):
        for count, threads in ((1, 1), (2, 1), (3, 2), (4, 1), (8, 1)):
            path = self.folder / f"m{count}"
            code, printed, told = mpirun(count, "train", self.family, "-o", path, "--quiet", "--threads", threads)
            self.assertEqual((code, printed.count("trained")), (0, 1), told)
            self.assertEqual(path.read_bytes(), self.model.read_bytes())

    @unittest.skipUnless(WITH_MPI, "built without MPI")
    def test_a_training_that_is_ended_goes_on(self):
        words = ["train", self.family, "--steps", 3000, "--quiet", "--threads", 1]
        self.ok(*words, "-o", self.folder / "calm")
        process = start(2, *words, "-o", self.folder / "m", "--checkpoint", 200)
        while not (self.folder / "m.checkpoint").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)  # mpirun passes it on
        process.communicate(timeout=120)
        if not (self.folder / "m").exists():
            code, printed, told = mpirun(3, *words, "-o", self.folder / "m", "--resume")
            self.assertEqual(code, 0, told)
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "calm").read_bytes())

    @unittest.skipUnless(WITH_MPI, "built without MPI")
    def test_one_that_cannot_begin_ends_all(self):
        (self.folder / "m.checkpoint").write_text("of another run")
        code, printed, told = mpirun(2, "train", self.family, "-o", self.folder / "m", "--quiet")
        self.assertNotEqual(code, 0)
        self.assertIn("of another run is there", told)


main()
