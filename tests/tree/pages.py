#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pages say about the tree is the case: links lead somewhere, the index of doc/ is whole, doc/extending.md names files and
what is in them, and every file that carries the version carries the same."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
faults = []


def text_of(name):
    return (root / name).read_text()


def pages():
    for path in sorted(root.rglob("*.md")):
        parts = path.relative_to(root).parts
        if not parts[0].startswith("build") and not {".git", "output"} & set(parts):
            yield path, "/".join(parts)


def without_code(text):
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.M | re.S)


def anchors(text):
    """Of the headings, as the usual renderers make them."""
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def check_links():
    for path, name in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text())):
            file, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            there = path.parent / file if file else path
            if not there.exists():
                faults.append(f"{name}: the link {target} leads nowhere")
            elif anchor and anchor not in anchors(there.read_text()):
                faults.append(f"{name}: {target}: there is no such heading")


def check_index():
    index = text_of("doc/README.md")
    listed = dict(re.findall(r"^\| \[[^\]]+\]\(([\w.-]+)\) \| (.*) \|$", index, re.M))
    there = {path.name for path in (root / "doc").glob("*.md")} - {"README.md"}
    for name in sorted(there ^ set(listed)):
        faults.append(f"doc/README.md: {name} is {'not listed' if name in there else 'listed but not there'}")
    for name, sentence in listed.items():
        if not re.fullmatch(r"[A-Z].*\.", sentence) or re.search(r"\. [A-Z]", sentence):
            faults.append(f"doc/README.md: {name} has not one sentence: {sentence}")


def check_extending():
    rows = 0
    for file, what in re.findall(r"^\| `([^`]+)` \| (.*) \|$", text_of("doc/extending.md"), re.M):
        rows += 1
        if not (root / file).is_file():
            faults.append(f"doc/extending.md: there is no {file}")
            continue
        for name in re.findall(r"`([^`]+)`", what):
            if not (root / name).exists() and not re.search(rf"\b{re.escape(name)}\b", text_of(file)):
                faults.append(f"doc/extending.md: {file} does not have {name}")
    for name in re.findall(r"`((?:src|tests|cli|doc)/[\w./-]+)`", text_of("doc/extending.md")):
        if not (root / name).exists():
            faults.append(f"doc/extending.md: there is no {name}")
    if rows < 20:
        faults.append(f"doc/extending.md: only {rows} rows could be read")


def found(pattern, name):
    match = re.search(pattern, text_of(name), re.M)
    if not match:
        faults.append(f"{name} does not say the version")
    return match.group(1) if match else ""


def check_version():
    version = found(r"^  version: '([\d.]+)'", "meson.build")
    major, minor = (version.split(".") + ["", ""])[:2]
    expected = f"0.{minor}" if major == "0" else major
    for name, pattern, wanted in (("CHANGELOG.md", r"^## ([\d.]+)", version), ("CITATION.cff", r"^version: ([\d.]+)$", version),
                                  ("meson.build", r"soversion: '([\d.]+)'", expected)):
        stated = found(pattern, name)
        if stated and stated != wanted:
            faults.append(f"{name} says {stated} where {wanted} is expected")


check_links()
check_index()
check_extending()
check_version()
print("\n".join(faults) or "links, index, files to extend and version agree")
sys.exit(bool(faults))
