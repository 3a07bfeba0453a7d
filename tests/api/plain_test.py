# SPDX-License-Identifier: Apache-2.0
"""The library by a C compiler alone (tools/plain.sh): it links nothing but libc and libm, and solves an equation."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
ALLOWED = r"(lib(c|m|pthread)|ld-linux[-\w]*)\.so\.\d+"


def output(*words, **settings):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, **settings).stdout


class Plain(unittest.TestCase):
    def test_library_needs_a_compiler_and_libm(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            # -O0: this is about what is needed, not about speed.
            output(ROOT / "tools/plain.sh", folder / "libansatz.a", env={**os.environ, "CFLAGS": "-O0"})
            program = folder / "solve"
            output("cc", ROOT / "examples/solve.c", f"-I{ROOT / 'include'}", folder / "libansatz.a", "-lm", "-lpthread", "-o", program)
            needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", program))
            self.assertTrue(needed)
            for library in needed:
                self.assertRegex(library, f"^{ALLOWED}$")
            printed = output(program, ROOT / "models/fisher-graph.safetensors", "H1", "2", folder / "made.solver",
                             env={**os.environ, "ANSATZ_ISA": "baseline"})
            before, after = map(float, re.search(r"residual (\S+) before, (\S+) after", printed).groups())
            self.assertLess(after, before)


unittest.main(argv=sys.argv[:1])
