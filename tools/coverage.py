#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines and branches the tests of a build with -Db_coverage=true reached.

  tools/coverage.py BUILD [--missed FILE]

A file is compiled several times (precisions, instruction sets, test programs); a line or branch is reached when it is in
one of them. Asserts are left out: the branch of a broken one is not meant to be taken. --missed writes the lines that no
test reached, one `file:line: text` each.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("src/", "cli/", "lab/")


def reports(build):
    """What gcov says of every counter file, as its JSON."""
    files = [str(path.resolve()) for path in sorted(build.rglob("*.gcda"))]
    if not files:
        sys.exit(f"{build} has no counters: its tests have not run, or it was not built with -Db_coverage=true")
    with tempfile.TemporaryDirectory() as folder:
        for begin in range(0, len(files), 50):
            # A counter file that a killed process left half written is reported and passed over.
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--hash-filenames", *files[begin:begin + 50]],
                           cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
                yield json.loads(gzip.decompress(path.read_bytes()))
                path.unlink()


def folder_of(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def gather(build):
    """file -> {line: reached}, file -> {(line, number of the branch): reached}"""
    lines, branches = {}, {}
    for report in reports(build):
        for entry in report["files"]:
            path = (pathlib.Path(report["current_working_directory"]) / entry["file"]).resolve()
            if not path.is_relative_to(ROOT) or not str(path.relative_to(ROOT)).startswith(PARTS):
                continue
            name = str(path.relative_to(ROOT))
            own, forks = lines.setdefault(name, {}), branches.setdefault(name, {})
            for line in entry["lines"]:
                own[line["line_number"]] = own.get(line["line_number"], False) or line["count"] > 0
                for number, branch in enumerate(line["branches"]):
                    key = line["line_number"], number
                    forks[key] = forks.get(key, False) or branch["count"] > 0
    for name in lines:
        text = (ROOT / name).read_text().split("\n")
        asserts = {number for number, line in enumerate(text, 1) if re.match(r"\s*assert\(", line)}
        lines[name] = {number: reached for number, reached in lines[name].items() if number not in asserts}
        branches[name] = {key: reached for key, reached in branches[name].items() if key[0] not in asserts}
    return lines, branches


def share(reached):
    return f"{sum(reached):7} of {len(reached):6} {100 * sum(reached) / max(1, len(reached)):6.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--missed", type=pathlib.Path, help="a file for the lines that no test reached")
    options = parser.parse_args()
    lines, branches = gather(options.build)
    print(f"{'folder':16}{'lines':>25}{'branches':>27}")
    for folder in [*sorted({folder_of(name) for name in lines}), "all"]:
        names = [name for name in lines if folder in (folder_of(name), "all")]
        print(f"{folder:16}{share([hit for name in names for hit in lines[name].values()])}  "
              f"{share([hit for name in names for hit in branches[name].values()])}")
    if options.missed:
        with options.missed.open("w") as file:
            for name in sorted(lines):
                text = (ROOT / name).read_text().split("\n")
                for number in sorted(number for number, hit in lines[name].items() if not hit):
                    print(f"{name}:{number}: {text[number - 1].strip()}", file=file)


if __name__ == "__main__":
    main()
