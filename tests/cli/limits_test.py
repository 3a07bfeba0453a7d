# SPDX-License-Identifier: Apache-2.0
"""Limits of the system: little memory, signals in the middle of long work."""
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import time
import unittest

from program import ANSATZ, FolderTest, main, run

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


def least_to_start():
    """Kilobytes of address space with which the program and its libraries can just be loaded."""
    for limit in range(20000, 400000, 2000):
        if run("--version", preexec_fn=address_space(limit)).returncode == 0:
            return limit
    raise AssertionError("the program does not start")


class LimitsTest(FolderTest):
    problem_text = SMALL

    @unittest.skipIf(SANITIZED, "the sanitizer needs the address space")
    def test_a_network_of_gigabytes_is_refused_before_it_is_made(self):
        """The size stands in the sentence; memory that is not there would be the code 9 instead."""
        self.problem.write_text(SMALL.replace("width 16, layers 2", "width 4096, layers 12"))
        done = run("solve", self.problem, "--from-scratch", "--threads", "1", preexec_fn=address_space(1 << 20), timeout=100)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, "the network has [0-9]{9} parameters, and the file of a solver holds at most [0-9]{9}\n")

    @unittest.skipIf(SANITIZED, "the sanitizer needs the address space")
    def test_little_memory_is_an_error_and_never_a_hang(self):
        """Every command ends, with its result or 9. (OpenBLAS tries again for ever to map its buffer of 128 MiB.)"""
        commands = {"show": [], "solve": ["--from-scratch", "--threads", "2"], "check": ["--threads", "2"],
                    "train": ["-o", self.folder / "m.safetensors", "--threads", "2"], "reference": ["--no-cache"],
                    "fit": ["--unknown", "D", "--data", self.folder / "data.csv", "--threads", "1", "--no-check"]}
        (self.folder / "data.csv").write_text("x,t,u\n0.2,0.1,0.9\n0.7,0.5,-0.4\n0.1,1,0.1\n")
        fitted = self.folder / "fitted.pde"
        fitted.write_text(SMALL.replace("0.05*u_xx", "D*u_xx").replace("field u\n", "field u\ncoefficient D in [0.02, 0.1]\n"))
        ends = set()
        least = least_to_start()
        for limit in (least, least + 2000, least + 6000, least + 12000, least + 24000, least + 150000, least + 330000):
            for command, words in commands.items():
                problem = fitted if command == "fit" else self.problem
                done = run(command, problem, *words, preexec_fn=address_space(limit), timeout=100)
                if done.returncode == 127:  # the libraries themselves cannot be loaded
                    continue
                self.assertIn(done.returncode, (0, 9), (limit, command, done.stdout, done.stderr))
                if done.returncode == 9:
                    self.assertIn("memory is exhausted", done.stderr + done.stdout)  # check reports it as a finding
                ends.add((command, done.returncode))
        self.assertLessEqual({("show", 0), ("solve", 0), ("train", 0), ("fit", 0)}, ends)
        # Which limits are too narrow for which command depends on the C library's own needs.
        self.assertTrue({("solve", 9), ("train", 9)} & ends, ends)

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

    def test_check_refuses_what_is_too_large_with_the_number(self):
        """Two hundred bytes that ask for days, or for more memory than there is: nothing of it is tried."""
        self.problem.write_text(SMALL.replace("points 64", "points 10000000").replace("width 16, layers 2", "width 128, layers 4"))
        done = run("check", self.problem, "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"doubtful +a step of training is at least [\d.e+]+ GFlop, about \d+ s: it was not tried")
        self.problem.write_text(SMALL.replace("width 16, layers 2", "width 4096, layers 12").replace("field u", "field u, v, w, y, z")
                                .replace("initial u", "\n".join(f"equation {f}: {f}_t = {f}_xx\ninitial {f} = 0" for f in "vwyz") + "\ninitial u"))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
        if memory < 4 * 4096 * 4096 * 12 * (2 * 7 + 5 * 11):
            done = run("check", self.problem, "--threads", "1")
            self.assertEqual(done.returncode, 9, done.stdout)
            self.assertRegex(done.stdout, r"wrong +a step of training needs at least [\d.]+ GB of memory")

    def test_small_units_are_reported(self):
        """A gradient below the optimiser's resolution, a loss that does not fall, a loss of zero."""
        for factor, found, told in (("1e-8", "which the optimiser cannot distinguish from 0", "the loss did not fall"),
                                    ("1e-170", "loss of training is 0", "the loss is 0")):
            self.problem.write_text(SMALL.replace("u_t = 0.05*u_xx", f"{factor}*u_t = {factor}*0.05*u_xx"))
            self.assertIn(found, run("check", self.problem).stdout)
            self.assertIn(told, run("solve", self.problem, "--from-scratch", "--steps", "200", "--method", "adam").stderr)
            scaled = run("solve", self.problem, "--from-scratch", "--check", "--json", "--quiet")  # units are divided out
            self.assertLess(json.loads(scaled.stdout)["error_mean"], 1e-2)
            self.assertIn(told, run("train", self.problem, "--steps", "200", "-o", self.folder / "m.safetensors").stderr)
        self.problem.write_text(SMALL)
        self.assertNotIn("loss", run("solve", self.problem, "--from-scratch", "--steps", "200").stderr)
        self.assertIn("Nothing looks wrong", run("check", self.problem).stdout)

    def test_one_run_at_a_time_for_one_output(self):
        """The second run ends at once with 8; a lock file that a killed run left is no lock."""
        for name, words in (("m.safetensors", ["train", self.problem, "--steps", "100000000", "-o"]),
                            ("s.solver", ["solve", self.problem, "--from-scratch", "--method", "adam", "--steps", "100000000", "--save"])):
            output = self.folder / name
            lock = self.folder / (name + ".lock")
            first = None
            try:
                while True:
                    if first is None or first.poll() is not None:  # on a busy machine the second may be the first to lock
                        first = subprocess.Popen([ANSATZ, *words, output], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    second = run(*words[:-2], "1", words[-1], output)
                    if second.returncode != 0:
                        break
                self.assertEqual(second.returncode, 8, second.stderr)
                self.assertIn(f"another run (process {first.pid}) is writing {output}", second.stderr)
            finally:
                first.kill()
                first.wait()
            self.assertTrue(lock.exists())
            for left in self.folder.glob("*checkpoint*"):
                left.unlink()  # of the run that was killed; without it the next one begins anew
            done = run(*words[:-2], "1", words[-1], output, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(lock.exists())

    def test_a_read_only_output_is_refused_before_any_work(self):
        output = self.folder / "m.safetensors"
        output.write_text("kept")
        output.chmod(0o444)
        self.fails(8, "ermission", "train", self.problem, "-o", output)
        self.assertEqual(output.read_text(), "kept")

    def test_a_terminal_sees_no_control_characters_of_names(self):
        strange = self.folder / "a\033]0;title\a\u009bé.pde"
        strange.write_text(SMALL)
        master, slave = pty.openpty()
        done = subprocess.run([ANSATZ, "check", strange], stdout=slave, stderr=subprocess.PIPE)
        os.close(slave)
        seen = os.read(master, 1 << 16).decode()
        os.close(master)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("a?]0;title???é.pde: 2 coordinates", seen)
        self.assertNotIn("\033", seen)


if __name__ == "__main__":
    main()
