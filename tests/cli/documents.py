# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of documents, so that they cannot be wrong for long.

A fenced block marked `sh run` is given to bash, the blocks of one document in order and in one directory that has
families/, models/ and examples/ of the source tree, and ansatz on the PATH. A block marked `text output` right after it
states what was printed; a line "..." in it stands for any lines. A block marked `pde run` is a problem file that
`ansatz show` must accept; a name after it (`pde run mine.pde`) also keeps it under that name for later blocks.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)


def blocks(text):
    """(marks, content, line number) of each fenced block."""
    for match in FENCE.finditer(text):
        yield match.group(1).split(), match.group(2), text.count("\n", 0, match.start()) + 1


def matches(pattern, printed):
    parts = re.split(r"^\.\.\.\n", pattern, flags=re.M)
    return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), printed) is not None


def shell(script, directory, environment):
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=directory, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)


def check(document, directory, environment):
    """The faults of one document, and how many of its blocks were run."""
    faults, ran, printed = [], 0, None
    for marks, content, line in blocks(document.read_text()):
        place = f"{document}:{line}"
        if marks[:2] == ["text", "output"]:
            if printed is None:
                faults.append(f"{place}: output without a block that was run before it")
            elif not matches(content, printed):
                faults.append(f"{place}: the block says\n{content}but this was printed:\n{printed}")
            printed = None
            continue
        printed = None
        if marks[:2] == ["pde", "run"]:
            name = marks[2] if len(marks) > 2 else "block.pde"
            (directory / name).write_text(content)
            done = shell(f"ansatz show {name}", directory, environment)
        elif marks[:2] == ["sh", "run"]:
            done = shell(content, directory, environment)
        else:
            continue
        ran += 1
        printed = done.stdout
        if done.returncode != 0:
            faults.append(f"{place}: exit code {done.returncode}\n{done.stdout}")
    return faults, ran


def main():
    root, program = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "doc").rglob("*.md"))]
    faults, ran = [], 0
    for document in documents:
        with tempfile.TemporaryDirectory() as name:
            for folder in ("families", "models", "examples"):
                if (root / folder).exists():
                    os.symlink(root / folder, pathlib.Path(name) / folder)
            found, count = check(document, pathlib.Path(name), environment)
            faults += found
            ran += count
    print("\n".join(faults) or f"{len(documents)} documents, {ran} blocks run")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
