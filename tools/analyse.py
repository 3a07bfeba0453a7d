#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang's static analyser over every source file of the library and the program.

  tools/analyse.py BUILD [--jobs N] [FILE ...]

Takes the flags from BUILD/compile_commands.json. Prints what was found and exits 1 if there is anything; 77 without
clang. A finding that is wrong is answered by an assert in the source, which says what the analyser could not know.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

# Insecure-API advice (memcpy, snprintf) is about style, and malloc of a variable size is what a library does.
CHECKERS = ["-Xclang", "-analyzer-output=text", "-Xclang", "-analyzer-disable-checker=security.insecureAPI.DeprecatedOrUnsafeBufferHandling",
            "-Xclang", "-analyzer-checker=core,unix,deadcode,nullability"]


def commands(build, wanted):
    """One command for each source file: that of the wider precision where there are two."""
    chosen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), pathlib.Path(__file__).parent.parent)
        if not path.startswith(("src/", "cli/", "lab/")) or not path.endswith(".c") or "sanitized" in entry["output"]:
            continue
        if entry["output"].startswith("tests/") or (wanted and path not in wanted):
            continue
        chosen[path] = entry
    return chosen


def analyse(path, entry):
    words = [word for word in shlex.split(entry["command"]) if word.startswith(("-I", "-D", "-std", "-m")) and word != "-mtune=generic"]
    done = subprocess.run(["clang", "--analyze", *CHECKERS, *words, "-w", entry["file"], "-o", os.devnull], capture_output=True, text=True,
                          cwd=entry["directory"])
    if done.returncode != 0:
        return path, [f"{path}: clang failed: {done.stderr.strip()[-500:]}"]
    return path, [line for line in done.stderr.splitlines() if re.search(r": warning: ", line)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    if not shutil.which("clang"):
        print("There is no clang here.")
        return 77
    found, chosen = [], commands(options.build, set(options.files))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, lines in pool.map(lambda item: analyse(*item), sorted(chosen.items())):
            found += lines
            if lines:
                print("\n".join(lines), flush=True)
    print(f"{len(chosen)} files, {len(set(found))} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
