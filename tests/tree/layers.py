#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point left only, in the order of the data's path; outsiders use public headers only."""
import pathlib
import re
import sys

ORDER = ["base", "numeric", "text", "protocol", "system", "graph", "codes", "field", "residual", "estimate", "training", "solution", "reference", "fit", "api"]
# Left of a folder in the path, and yet not for it.
FORBIDDEN = {"estimate": {"codes", "field", "residual"}, "text": {"numeric"}, "protocol": {"numeric"}, "system": {"numeric"}, "graph": {"numeric", "text"}, "reference": {"estimate", "training", "residual", "codes"}}

root = pathlib.Path(sys.argv[1])
faults = []


def included(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.M)


for path in sorted((root / "src").rglob("*")):
    if path.suffix not in {".c", ".h", ".inc"}:
        continue
    folder = path.relative_to(root / "src").parts[0]
    for name in included(path):
        target = name.split("/")[0]
        if target not in ORDER:
            if "/" in name or not (name.startswith("ansatz") or (path.parent / name).exists()):
                faults.append(f"{path.relative_to(root)} includes {name}, which is no folder of src/")
            continue
        if ORDER.index(target) > ORDER.index(folder) or target in FORBIDDEN.get(folder, set()):
            faults.append(f"{path.relative_to(root)} includes {name}: {folder} may not see {target}")

for path in sorted((root / "cli").glob("*.[ch]")) + sorted((root / "examples").glob("*.[ch]")):
    for name in included(path):
        if not name.startswith("ansatz") and not (path.parent / name).exists():
            faults.append(f"{path.relative_to(root)} includes {name}: only public headers here")

for path in sorted((root / "lab").glob("*.[ch]")) + sorted((root / "mpi").glob("*.[ch]")):
    for name in included(path):
        if not name.startswith("ansatz") and name != "cli/shared.h" and not (path.parent / name).exists():
            faults.append(f"{path.relative_to(root)} includes {name}: lab and mpi see public headers and cli/shared.h")

# Names of the laboratory's files occur nowhere else: "record.c" in two folders would be two things.
elsewhere = {p.name for d in ("src", "cli", "bench") for p in (root / d).rglob("*.[ch]")}
faults += [f"lab/{p.name} has the name of another file" for p in sorted((root / "lab").glob("*.[ch]")) if p.name in elsewhere]

sources = [p for d in ("src", "cli", "lab", "mpi", "include", "tests", "bench", "examples") for p in (root / d).rglob("*.[ch]")]
for path in sources:
    if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()[:200]:
        faults.append(f"{path.relative_to(root)} has no SPDX line")

print("\n".join(faults) or f"{len(sources)} files, every include points left")
sys.exit(bool(faults))
