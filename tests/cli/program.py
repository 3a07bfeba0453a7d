# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it and looking at what it did."""
import json
import os
import pathlib
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from small import SMALL

ANSATZ = os.environ.get("ANSATZ_PROGRAM", "ansatz")
ROOT = pathlib.Path(__file__).resolve().parents[2]
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # children inherit what nohup ignores, and the program then ignores it too


def run(*words, **settings):
    settings.setdefault("timeout", 120)
    environment = {**os.environ, "TERM": "dumb", **settings.pop("environment", {})}
    return subprocess.run([ANSATZ, *map(str, words)], capture_output=True, text=True, env=environment, **settings)


def disk_of(size):
    """For preexec_fn: no file can grow beyond `size` bytes, which writing tells by an error."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def colours_of(path):
    """The colours of a PNG file of eight bits without alpha or with it ignored, as a set."""
    data, at, packed = path.read_bytes(), 8, b""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, size, before, found = zlib.decompress(packed), 3 if kind == 2 else 4, None, set()
    for row in range(height):
        line = bytearray(raw[row * (width * size + 1) + 1:(row + 1) * (width * size + 1)])
        before = before or bytes(len(line))
        for i in range(len(line)):
            left, above, corner = (line[i - size] if i >= size else 0), before[i], (before[i - size] if i >= size else 0)
            near = min((left, above, corner), key=lambda value: abs(left + above - corner - value))
            line[i] = (line[i] + (0, left, above, (left + above) // 2, near)[raw[row * (width * size + 1)]]) % 256
        found.update(zip(line[0::size], line[1::size], line[2::size]))
        before = bytes(line)
    return found


def start_and_step(*words, program=ANSATZ):
    """A process on a terminal whose progress line shows that steps are being taken; close the descriptor after it."""
    master, slave = pty.openpty()
    process = subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, stderr=slave, text=True,
                               env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    seen = b""
    while b"[" not in seen.replace(b"\033[", b""):
        seen += os.read(master, 4096)
    return process, master


def run_until_it_steps(*words, kind=signal.SIGINT, program=ANSATZ):
    """Sends a signal while steps are being taken: the exit code and standard output."""
    process, terminal = start_and_step(*words, program=program)
    process.send_signal(kind)
    output = process.communicate(timeout=60)[0]
    os.close(terminal)
    return process.returncode, output


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def ok(self, *words, **settings):
        done = run(*words, **settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"ansatz {' '.join(map(str, words))}")
        return done.stdout

    def json(self, *words, **settings):
        return json.loads(self.ok(*words, **settings))

    def fails(self, code, sentence, *words, **settings):
        done = run(*words, **settings)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(sentence, done.stderr)
        return done.stderr


class FolderTest(ProgramTest):
    """Each test in a folder of its own that goes afterwards, with a small problem in it; `problem_text` says which."""
    problem_text = SMALL

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.problem = self.folder / "small.pde"
        self.problem.write_text(self.problem_text)


def main():
    unittest.main(argv=sys.argv[:1], verbosity=1)
