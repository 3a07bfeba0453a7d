# SPDX-License-Identifier: Apache-2.0
"""build_binding.py ROOT OUTPUT -- COMPILER... - writes the C file of the extension module from the library's headers.

The preprocessor expands the macros of the headers, with empty system headers: cffi knows size_t, bool and their kind.
"""
import pathlib
import subprocess
import sys
import tempfile

import cffi

ONLOOKER = """
typedef struct { ...; } onlooker;
void onlooker_begin(onlooker *onlooker, ans_progress now);
bool onlooker_note(void *data, ans_progress now);
ans_progress onlooker_see(onlooker *onlooker);
void onlooker_watch(onlooker *onlooker, ans_run_rules *rules);
void onlooker_interrupt(onlooker *onlooker);
"""


def declarations(root, compiler):
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            (pathlib.Path(empty) / name).touch()
        command = compiler + ["-E", "-P", "-nostdinc", "-U__GNUC__", "-DANSATZ_WITHOUT_BENCH", "-x", "c", "-I", empty,
                              str(root / "include" / "ansatz_tools.h")]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(root, output, mark, *compiler):
    ffi = cffi.FFI()
    ffi.cdef(declarations(pathlib.Path(root), list(compiler)) + ONLOOKER)
    ffi.set_source("ansatz._binding", '#define ANSATZ_WITHOUT_BENCH\n#include "onlooker.h"\n')
    ffi.emit_c_code(output)


main(*sys.argv[1:])
