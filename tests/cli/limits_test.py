# SPDX-License-Identifier: Apache-2.0
"""Limits of the system: little memory, signals in the middle of long work."""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from program import ANSATZ, ProgramTest, main, run

SMALL = """coordinate x in [0, 1] periodic
coordinate t in [0, 1] time
field u
equation u: u_t = 0.05*u_xx
initial u = sin(2*pi*x)
network width 16, layers 2
train steps 4, points 64
adapt steps 4, points 64
"""

SANITIZED = b"__asan_init" in pathlib.Path(ANSATZ).read_bytes()


def address_space(kilobytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024))


class LimitsTest(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.problem = self.folder / "small.pde"
        self.problem.write_text(SMALL)

    @unittest.skipIf(SANITIZED, "the sanitizer needs the address space")
    def test_little_memory_is_an_error_and_never_a_hang(self):
        """OpenBLAS tries again for ever to map its buffer of 128 MiB; every command ends, with its result or 9."""
        commands = {"show": [], "solve": ["--from-scratch", "--threads", "2"], "check": ["--threads", "2"],
                    "train": ["-o", self.folder / "m.safetensors", "--threads", "2"], "reference": ["--no-cache"]}
        ends = set()
        for limit in (130000, 160000, 204800, 256000, 330000, 450000):
            for command, words in commands.items():
                done = run(command, self.problem, *words, preexec_fn=address_space(limit), timeout=100)
                if done.returncode == 127:  # the libraries themselves cannot be loaded
                    continue
                self.assertIn(done.returncode, (0, 9), (limit, command, done.stdout, done.stderr))
                if done.returncode == 9:
                    self.assertIn("memory is exhausted", done.stderr)
                ends.add((command, done.returncode))
        self.assertLessEqual({("show", 0), ("solve", 9), ("solve", 0), ("train", 9), ("train", 0)}, ends)

    def test_a_signal_is_obeyed_in_the_middle_of_a_step(self):
        """A step of millions of points does not look at the flag: the program ends all the same."""
        self.problem.write_text(SMALL.replace("adapt steps 4, points 64", "adapt steps 4, points 6000000")
                                .replace("width 16, layers 2", "width 128, layers 4"))
        process = subprocess.Popen([ANSATZ, "solve", self.problem, "--from-scratch", "--threads", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        caught = 1 << (signal.SIGTERM - 1)
        while not int(next(line.split()[1] for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
                           if line.startswith("SigCgt")), 16) & caught:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=100), 143)


if __name__ == "__main__":
    main()
