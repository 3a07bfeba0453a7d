# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of documents, so that they cannot be wrong for long.

A fenced block marked `sh run` is given to bash, the blocks of one document in order and in one directory that has
families/, models/, examples/ and experiments/ of the source tree, ansatz on the PATH, and a pkg-config that knows the
library that was built (that the installed one is right is tested elsewhere). A block marked `text output` right after it
states what was printed; a line "..." in it stands for any lines, and in one marked `text output roughly` every number and
duration stands for any other, because errors and times differ between machines. A block marked `pde run` is a problem file that
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


NUMBER = r"(?:\d+ h )?(?:\d+ min )?[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"


def exactly(text):
    return re.escape(text)


def roughly(text):
    between = [r" +".join(map(re.escape, re.split(" +", part))) for part in re.split(NUMBER, text)]
    return NUMBER.join(between)


def matches(pattern, printed, reading):
    parts = re.split(r"^\.\.\.\n", pattern, flags=re.M)
    return re.fullmatch(r"(?:.*\n)*?".join(map(reading, parts)), printed) is not None


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
            elif not matches(content, printed, roughly if "roughly" in marks else exactly):
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


def as_installed(root, program, folder):
    """What an installation would change in the environment."""
    (folder / "ansatz.pc").write_text("Name: ansatz\nDescription: as built\nVersion: 0\n"
                                      f"Cflags: -I{root}/include\nLibs: -L{program.parent} -lansatz\n")
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb",
            "PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(program.parent),
            "OMP_WAIT_POLICY": "passive"}  # tests share their processors


def main():
    root, program = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    documents = [root / "README.md", root / "CONTRIBUTING.md", root / "examples/README.md", *sorted((root / "doc").rglob("*.md"))]
    faults, ran = [], 0
    for document in documents:
        with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as installed:
            environment = as_installed(root, program, pathlib.Path(installed))
            for folder in ("families", "models", "examples", "experiments"):
                if (root / folder).exists():
                    os.symlink(root / folder, pathlib.Path(name) / folder)
            found, count = check(document, pathlib.Path(name), environment)
            faults += found
            ran += count
    print("\n".join(faults) or f"{len(documents)} documents, {ran} blocks run")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
