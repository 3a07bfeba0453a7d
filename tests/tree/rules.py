#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every file of the tree keeps to: size, licence line, no unfinished work, no paths of one machine."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
SKIPPED = {".git", "output", "__pycache__"}
SOURCES = {".c", ".h", ".inc", ".py", ".sh", ".build"}
LIMITS = {"include/ansatz.h": 540}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w.])/(wo" r"rk|ro" r"ot|ho" r"me)/")

faults = []


def tracked():
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not path.is_symlink() and not SKIPPED & set(parts) and not parts[0].startswith("build"):
            yield path, "/".join(parts)


count = 0
for path, name in tracked():
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        continue
    count += 1
    source = path.suffix in SOURCES or name in ("Makefile", ".ci/run")
    lines = text.count("\n")
    if path.suffix in {".c", ".h", ".inc"} and lines > LIMITS.get(name, 600):
        faults.append(f"{name} has {lines} lines; {LIMITS.get(name, 600)} is the limit")
    if path.suffix in SOURCES and "SPDX-License-Identifier: Apache-2.0" not in text[:300]:
        faults.append(f"{name} has no SPDX line")
    if source or path.suffix == ".md":
        for number, line in enumerate(text.splitlines(), 1):
            if UNFINISHED.search(line) and "XXXXXX" not in line:
                faults.append(f"{name}:{number}: unfinished: {line.strip()}")
            if MACHINE.search(line):
                faults.append(f"{name}:{number}: a path of one machine: {line.strip()}")
            if source and line != line.rstrip():
                faults.append(f"{name}:{number}: blanks at the end of the line")

print("\n".join(faults) or f"{count} files keep the rules")
sys.exit(bool(faults))
