#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C file is laid out as .clang-format says. `format.py ROOT --write` lays them out.

Versions 14 to 19 of clang-format agree on this tree. Where they do not (tables in macros) the source says "clang-format
off". Other versions may differ, so the check is skipped there, as it is without clang-format."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

OLDEST, NEWEST, SKIP = 14, 19, 77
FOLDERS = ("src", "cli", "include", "tests", "bench", "examples", "lab", "mpi", "python")


def version_of(program):
    text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)", text)
    return int(found.group(1)) if found else 0


def find_program():
    """The first clang-format of a version that is known to agree; else a sentence why there is none."""
    named = os.environ.get("CLANG_FORMAT")
    names = [named] if named else ["clang-format", *(f"clang-format-{n}" for n in range(OLDEST, NEWEST + 1))]
    here = [path for path in map(shutil.which, names) if path]
    for path in here:
        if OLDEST <= version_of(path) <= NEWEST:
            return path, ""
    if not here:
        return None, f"{named or 'clang-format'} is not installed"
    return None, f"{here[0]} has version {version_of(here[0])}; versions {OLDEST} to {NEWEST} are known to agree"


def main():
    root, write = pathlib.Path(sys.argv[1]), "--write" in sys.argv[2:]
    program, reason = find_program()
    if not program:
        print(f"skipped: {reason}")
        return 1 if write else SKIP
    files = sorted(str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*.[ch]"))
    mode = ["-i"] if write else ["--dry-run", "-Werror"]
    done = subprocess.run([program, *mode, *files], cwd=root, capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
    for name in wrong:
        print(f"{name} is not laid out as .clang-format says; `make format` does it")
    if done.returncode and not wrong:
        print(done.stderr)
    if not done.returncode:
        print(f"{len(files)} files, {program} {version_of(program)}")
    return done.returncode


sys.exit(main())
