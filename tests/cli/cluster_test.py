# SPDX-License-Identifier: Apache-2.0
"""The job scripts of examples/cluster, on one machine: an array is a loop, srun and scontrol are stand-ins."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import ANSATZ, ROOT, ProgramTest, main, run
from small import SMALL

SCRIPTS = ROOT / "examples/cluster"

SRUN = """#!/bin/sh
for rank in 0 1 2; do
  SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=3 "$@" &
done
wait
"""


class Scripts(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "small.pde").write_text(SMALL)
        (self.folder / "targets.csv").write_text("name,structure,a,D\n" + "".join(f"r{i},both,{0.5 + 0.05 * i},0.05\n" for i in range(6)))
        self.options = ["--from-scratch", "--steps", "3", "--grid", "x=8,t=5"]
        self.words = ["solve", self.folder / "small.pde", "--targets", self.folder / "targets.csv", *self.options, "--quiet"]
        self.ok(*self.words, "-o", self.folder / "whole.nc", "--threads", 1)
        self.output = self.folder / "all.nc"
        bin = self.folder / "bin"
        bin.mkdir()
        (bin / "ansatz").symlink_to(ANSATZ)
        self.stand_in("srun", SRUN)
        self.stand_in("scontrol", f"#!/bin/sh\necho \"$@\" >> {self.folder / 'scontrol.txt'}\n")
        self.environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "MODEL": str(self.folder / "small.pde"), "TARGETS": str(self.folder / "targets.csv"),
                            "OUTPUT": str(self.output), "OPTIONS": " ".join(self.options), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def stand_in(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def script(self, name, code=0, **variables):
        done = subprocess.run(["sh", SCRIPTS / name], env={**self.environment, **variables}, capture_output=True, text=True, timeout=240, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)

    def check(self):
        self.assertEqual(self.output.read_bytes(), (self.folder / "whole.nc").read_bytes())

    def test_slurm_array(self):
        for k in (2, 3, 1):
            self.script("slurm-array.sh", SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID=str(k), SLURM_ARRAY_TASK_MIN="1", SLURM_ARRAY_TASK_MAX="3",
                        SLURM_ARRAY_TASK_STEP="1", SLURM_ARRAY_TASK_COUNT="3")
        self.assertFalse((self.folder / "scontrol.txt").exists())
        self.ok("merge", self.output, "--quiet")
        self.check()

    def test_slurm_array_at_its_time_limit(self):
        (self.folder / "bin/ansatz").unlink()
        self.stand_in("ansatz", "#!/bin/sh\nexit 138\n")
        self.script("slurm-array.sh", code=138, SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID="2")
        self.assertEqual((self.folder / "scontrol.txt").read_text(), "requeue 7_2\n")

    def test_srun(self):
        self.script("slurm-srun.sh")
        self.check()

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_parallel(self):
        self.script("parallel.sh", SHARDS="4", PARALLEL_OPTIONS="--jobs 2 --will-cite")
        self.check()

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_mpirun(self):
        self.script("mpirun.sh", PROCESSES="3", MPIRUN_OPTIONS="--oversubscribe")
        self.check()

    def test_replay(self):
        def rows(*words):
            done = subprocess.run([sys.executable, SCRIPTS / "replay.py", table, *map(str, words)], capture_output=True, text=True, check=True)
            return [[float(word) for word in line.split()] for line in done.stdout.splitlines()[2:]]
        table = self.folder / "times.csv"
        table.write_text("row,name,status,seconds,whole_seconds\n" + "".join(f'{i},"r",solved,1,{seconds}\n' for i, seconds in enumerate((4, 1, 1, 2))))
        self.assertEqual(rows(1, 2, 8, "--start", 0), [[1, 8, 1], [2, 4, 1], [8, 4, 0.25]])
        self.assertEqual(rows(2, "--start", 0, "--shards"), [[2, 5, 0.8]])
        table.write_text(table.read_text() + '4,"r",solved,1,4\n')
        self.assertEqual(rows(2, "--start", 0), [[2, 8, 0.75]])
        self.assertEqual(rows(2, "--start", 0, "--longest"), [[2, 6, 1]])
        self.assertEqual(rows(1000, "--rows", 4000, "--start", 0)[0][0], 1000)
        table.write_text("row,name,status,seconds,whole_seconds,processor_seconds\n0,a,solved,1,9,2\n1,b,missing,1,1,1\n")
        self.assertEqual(rows(1, "--start", 0) + rows(1, "--start", 0, "--clock"), [[1, 2, 1], [1, 9, 1]])


main()
