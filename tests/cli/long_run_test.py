# SPDX-License-Identifier: Apache-2.0
"""The progress line and signals: a bar on terminals only; the first signal lets a command save, the second ends it."""
import os
import pathlib
import pty
import signal
import subprocess
import time
import unittest

from program import main, run_until_it_steps, start_and_step

PROGRAM = os.environ["LONG_RUN"]


def on_terminal(*words, **environment):
    master, slave = pty.openpty()
    process = subprocess.Popen([PROGRAM, *words], stderr=slave, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    process.wait()
    os.close(master)
    return text.decode()


class Progress(unittest.TestCase):
    def test_bar_on_a_terminal(self):
        text = on_terminal("60", "10", TERM="xterm")
        lines = text.split("\r")[1:]
        self.assertIn("count [########################] 60/60  loss 1.667e-02", text)
        self.assertRegex(text, r"steps/s  \d+ s left")
        self.assertEqual(lines[-1], "\033[K")
        self.assertLess(len(lines), 30)  # of sixty steps: not one line each

    def test_nothing_elsewhere(self):
        self.assertEqual(on_terminal("5", "10", TERM="dumb"), "")
        done = subprocess.run([PROGRAM, "5", "10"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "saved\n", ""))


class Signals(unittest.TestCase):
    def test_first_signal_lets_it_save(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            ended = run_until_it_steps(100000, 10, kind=number, program=PROGRAM)
            self.assertEqual(ended, (code, "saved\n"))

    def test_second_signal_ends_it(self):
        process, terminal = start_and_step(100000, 10, "stubborn", program=PROGRAM)
        process.send_signal(signal.SIGINT)
        while self.catches(process, signal.SIGINT):
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], "")
        self.assertEqual(process.returncode, -signal.SIGINT)
        os.close(terminal)

    def test_a_second_hangup_is_that_of_the_same_terminal(self):
        process, terminal = start_and_step(100000, 10, program=PROGRAM)
        for _ in range(2):
            process.send_signal(signal.SIGHUP)
        self.assertEqual(process.communicate(timeout=60)[0], "saved\n")
        self.assertEqual(process.returncode, 129)
        os.close(terminal)

    def test_an_ignored_hangup_stays_ignored(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does; children inherit it
        try:
            process, terminal = start_and_step(100000, 10, program=PROGRAM)
        finally:
            signal.signal(signal.SIGHUP, before)
        self.assertFalse(self.catches(process, signal.SIGHUP))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        os.close(terminal)

    def catches(self, process, number):
        """Whether a signal of this kind would still reach the program's own handler."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        return caught >> (number - 1) & 1


main()
