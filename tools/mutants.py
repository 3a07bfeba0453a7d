#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: does a test fail when the source is wrong?

  tools/mutants.py [--sample N] [--seed S] [--files LIST] [--hand] [--only TEXT] [--again survived] [--jobs N] [--floor PERCENT]

A mutant is one small change of one source file: made by an operator below, or written down in tools/mutants.list.
It is built in a copy of the tree, with the tests of its own folder first and then a wider set (FOLDERS), the fastest
first, until one fails. Results are kept in a record, one line each, so that a run continues where the last one ended;
a mutant is known by its file, its operator and the text of its line, so that a record outlives changes elsewhere.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# folder -> tests of its own, tests of those who use it. A name stands for all tests that begin with it.
FOLDERS = {
    "src/base": ["base disk team team_locks", "exhausted text bad fault training/safetensors training/model solving cli_options cli_train"],
    "src/numeric": ["unknowns algebra tape kernels own_blas blas symmetric",
                    "backbone residual gradient jacobian codes formula training/ estimate_ cli_solve"],
    "src/text": ["text bad", "doc golden system meaning property fault cli_show"],
    "src/protocol": ["system meaning golden bad", "doc property cli_show"],
    "src/system": ["system meaning golden bad", "doc property fault families residual manufactured api cli_check cli_show"],
    "src/graph": ["graph descriptor families rewording graph_figure", "codes plan formula api training/model cli_show cli_train"],
    "src/codes": ["plan codes formula conditions", "exhausted torch training/ cli_train cli_shipped"],
    "src/field": ["backbone evaluate built_in settle", "moving units residual gradient manufactured jacobian torch training/ solving cli_solve cli_shipped"],
    "src/residual": ["residual32 residual64 gradient manufactured jacobian moving units", "torch training/ estimate_ solving cli_solve cli_check"],
    "src/estimate": ["estimate_", "exhausted solving cli_solve cli_check"],
    "src/training": ["training/", "exhausted disk solving api cli_train cli_solve cli_shipped lab_reproduce"],
    "src/solution": ["solution canvas plot graph_figure tools", "reference_exact solving cli_solve cli_reference cli_show lab_report"],
    "src/reference": ["reference_ exhausted", "cli_reference cli_check cli_solve"],
    "src/api": ["api tools run_rules solving exhausted", "training/ cli_show cli_solve cli_train cli_check cli_reference"],
    "cli": ["cli_", "documents lab_"],
    "lab": ["lab_", "documents"],
    "src/fit": ["fit_", "cli_fit"],
}
# Tests of files that are not named like them.
HINTS = {"completion": "options documents", "manual": "options", "help": "options", "commands": "options", "main": "options", "new": "check show",
         "table": "solve", "eval": "solve", "output": "options show", "progress": "train", "interrupt": "long_run", "json": "json", "lock": "train",
         "problem_file": "show", "experiment": "reproduce", "job": "reproduce", "job_identity": "reproduce", "error_map": "reproduce", "error_map_text": "reproduce", "report_maps": "reproduce", "job_record": "reproduce report", "cell": "report",
         "claim": "report", "measure": "report", "merge": "shard", "part": "shard", "ledger": "shard", "row_claims": "shard", "batch_file": "shard",
         "piece": "windows", "piece_file": "windows", "ladder": "windows"}
# Tests of limits and of time, which a busy machine may fail: only for files that a hint above gives to them.
LEFT_OUT = {"cli_limits", "cli_watchdog", "cli_long_run"}
# What stands in for a library that is not there, or uses one that is not asked for: no part of the usual build.
NOT_BUILT = {"no_canvas.c", "no_integrator.c", "no_netcdf.c", "blas.c", "blas_room.c"}
# Dropping these calls changes nothing that a test could see: memory that is not given back, room that is reserved.
UNSEEN = re.compile(r"\b(assert|free|\w+_free|memory_give|arena_\w*free|close|fclose|memset|va_end|json_decref|\w*_destroy)\s*\($")


# ---- Mutants -------------------------------------------------------------------------------------------

SWAPS = [(" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == "), (" && ", " || "),
         (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " / "), (" / ", " * "), (" += ", " -= "), (" -= ", " += "),
         ("fmin(", "fmax("), ("fmax(", "fmin("), ("true", "false"), ("false", "true"), ("break;", "continue;")]
NUMBER = re.compile(r"(?<![\w.\"%])(\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?![\w.\"])")
CALL = re.compile(r"^\s+(TRY\(|FAIL_IF\(|\w+\()")


def code_of(line):
    """The line with strings, characters and comments blanked, so that places stay what they are."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', blank, line)
    return re.sub(r"/\*.*?(\*/|$)|//.*", blank, line)


def other_number(text):
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1)
    return repr(float(text) * 1.5 or 1.0)


def condition_end(code, start):
    depth = 0
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return -1


def changes_of(line):
    """(operator, changed line) of one line of C."""
    code = code_of(line)
    for old, new in SWAPS:
        start = 0
        while (at := code.find(old, start)) >= 0:
            start = at + 1
            word = old[0].isalpha()
            if word and at > 0 and (code[at - 1].isalnum() or code[at - 1] == "_"):
                continue
            yield f"{old.strip()} to {new.strip()}", line[:at] + new + line[at + len(old):]
    for match in NUMBER.finditer(code):
        new = other_number(match.group())
        yield f"{match.group()} to {new}", line[:match.start()] + new + line[match.end():]
    match = re.match(r"^\s*(?:} else )?if \(", code)
    if match and (end := condition_end(code, match.end() - 1)) > 0:
        yield "condition negated", line[:match.end() - 1] + "(!" + line[match.end() - 1:end + 1] + ")" + line[end + 1:]
    match = CALL.match(code)
    if match and code.rstrip().endswith(");") and not UNSEEN.search(match.group()) and code.count("(") == code.count(")"):
        yield "statement removed", re.match(r"\s*", line).group() + ";"


def generated(folder):
    for path in sorted((ROOT / folder).rglob("*.[ci]*")):
        if path.suffix not in (".c", ".inc") or path.name in NOT_BUILT:
            continue
        seen, in_comment, depth = {}, False, 0
        name = str(path.relative_to(ROOT))
        for number, line in enumerate(path.read_text().split("\n"), 1):
            begins = in_comment
            if "/*" in line and "*/" not in line[line.find("/*"):]:
                in_comment = True
            if "*/" in line:
                in_comment = False
            if begins or re.match(r"\s*(#|/\*|\*|static_assert|assert\()", line):
                continue
            inside, depth = depth > 0, depth + code_of(line).count("{") - code_of(line).count("}")
            if not inside and not re.search(r"\bcase|enum|= ", line):
                continue
            for operator, changed in changes_of(line):
                place = seen[line, operator] = seen.get((line, operator), 0) + 1
                key = hashlib.sha1(f"{name}\n{line.strip()}\n{operator}\n{place}".encode()).hexdigest()[:10]
                yield {"key": key, "file": name, "line": number, "what": operator, "folder": folder, "old": line, "new": changed}


def by_hand():
    """tools/mutants.list: blocks of `file | what`, then lines `-old text` and `+new text`."""
    mutants, block = [], None
    for line in (ROOT / "tools/mutants.list").read_text().split("\n"):
        if line.startswith("#") or not line.strip():
            continue
        if line[0] not in "-+":
            name, what = (part.strip() for part in line.split("|", 1))
            folder = next(folder for folder in FOLDERS if name.startswith(folder + "/"))
            block = {"file": name, "what": what, "folder": folder, "old": [], "new": [], "hand": True, "line": 0,
                     "key": "h" + hashlib.sha1((name + what).encode()).hexdigest()[:9]}
            mutants.append(block)
        else:
            block["old" if line[0] == "-" else "new"].append(line[1:])
    for block in mutants:
        block["old"], block["new"] = "\n".join(block["old"]), "\n".join(block["new"])
        count = (ROOT / block["file"]).read_text().count(block["old"])
        if count != 1 or not block["old"]:
            sys.exit(f"tools/mutants.list: `{block['what']}`: its text is {count} times in {block['file']}, not once")
    return mutants


def sampled(count, seed, names):
    """As many from every folder, and from different files of it as long as there are any; of the files whose names contain one of these."""
    chooser, chosen, pools = random.Random(seed), [], {}
    for folder in FOLDERS:
        files = {}
        for mutant in generated(folder):
            if any(name in mutant["file"] for name in names):
                files.setdefault(mutant["file"], []).append(mutant)
        for mutants in files.values():
            chooser.shuffle(mutants)
        order = sorted(files)
        chooser.shuffle(order)
        pools[folder] = [files[name][at] for at in range(max(map(len, files.values()), default=0)) for name in order if at < len(files[name])]
    while len(chosen) < count and any(pools.values()):
        for folder in FOLDERS:
            if pools[folder] and len(chosen) < count:
                chosen.append(pools[folder].pop(0))
    return chosen


# ---- Building and running -------------------------------------------------------------------------------

RUNNING = set()  # process groups, which end with this program


def end_with_children(*_):
    for group in RUNNING.copy():
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(130)


class Bench:
    """A copy of the tree with a build directory of its own."""

    def __init__(self, folder, niceness):
        self.tree, self.build = folder / "tree", folder / "tree/build"  # where a compiler cache expects it
        self.nice = ["nice", "-n", str(niceness)]
        self.tree.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, text=True,
                               check=True).stdout.split("\0")
        for name in filter(None, names):
            source, target = ROOT / name, self.tree / name
            if not source.is_file() or name.startswith(("results/", ".git")):
                continue
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue  # an unchanged file keeps its time: nothing is built again
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        for folder in ("results",):
            if (ROOT / folder).is_dir() and not (self.tree / folder).exists():
                (self.tree / folder).symlink_to(ROOT / folder)
        if not (self.tree / ".git").exists():  # the program names the commit that it was built from
            self.call(["git", "init", "-q", self.tree])
            self.call(["git", "-C", self.tree, "-c", "user.name=mutants", "-c", "user.email=mutants@localhost", "commit", "-q",
                       "--allow-empty", "-m", "mutants"])
        if not (self.build / "build.ninja").exists():
            self.call(["meson", "setup", self.build, self.tree, "-Dprogram=enabled", "-Dtests=enabled"])
        self.call(["ninja", "-C", self.build, "build.ninja"])  # there may be new tests
        self.tests = {test["name"]: test for test in json.loads((self.build / "meson-info/intro-tests.json").read_text())}
        self.targets = {target["id"]: target for target in json.loads((self.build / "meson-info/intro-targets.json").read_text())}

    def call(self, words):
        done = subprocess.run([*self.nice, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])

    def files_of(self, test):
        names = []
        for identity in self.tests[test]["depends"]:
            names += [os.path.relpath(name, self.build) for name in self.targets.get(identity, {}).get("filename", [])]
        return names

    def make(self, test):
        """Whether it builds."""
        files = self.files_of(test)
        return not files or subprocess.run([*self.nice, "ninja", "-C", str(self.build), "-j2", *files], capture_output=True).returncode == 0

    def run(self, test, limit):
        """Whether it passes, and the seconds of processor time that it took."""
        entry, start = self.tests[test], time.monotonic()
        process = subprocess.Popen([*self.nice, *entry["cmd"]], cwd=entry.get("workdir") or self.build, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, **entry["env"]}, start_new_session=True)
        RUNNING.add(process.pid)
        done = 0
        while not done and time.monotonic() - start < limit:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not done:
                time.sleep(0.02)
        if not done or status != 0:  # also its children, which a lost mutant may have left
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not done:
            _, status, usage = os.wait4(process.pid, 0)
        RUNNING.discard(process.pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode in (0, 77), usage.ru_utime + usage.ru_stime


def tests_for(bench, mutant, times):
    """Those of its folder, then the wider set, and how many are its own; in each, first those that are named like its file, then the fastest."""
    stem = pathlib.Path(mutant["file"]).stem
    chosen, own, stem = [], 0, f"{stem} {HINTS.get(stem, '')}"
    for names in FOLDERS[mutant["folder"]]:
        group = [test for test in bench.tests for name in names.split()
                 if (test == name or (test.startswith(name) and (name[-1] in "/_" or test[len(name):].rstrip("0123456789") == "")))
                 and "quick" in " ".join(bench.tests[test]["suite"])]
        group = [test for test in dict.fromkeys(group) if test not in chosen and (test not in LEFT_OUT or test[4:] in stem.split())]
        guess = lambda test: times.get(test, 30 if "python" in bench.tests[test]["cmd"][0] else 2)
        distant = lambda test: not any(word in stem for word in re.split(r"[_/\d]+", test) if len(word) > 2 and word != "reference")
        chosen += sorted(group, key=lambda test: (distant(test), guess(test)))
        own = own or len(chosen)
    return chosen, own


class Change:
    """The tree of a bench with the mutant in it; the file is restored at the end."""

    def __init__(self, bench, mutant):
        self.path, self.mutant = bench.tree / mutant["file"], mutant

    def __enter__(self):
        self.before = self.path.read_text()
        if self.mutant.get("hand"):
            self.path.write_text(self.before.replace(self.mutant["old"], self.mutant["new"]))
            return
        lines = self.before.split("\n")
        assert lines[self.mutant["line"] - 1] == self.mutant["old"], self.mutant
        lines[self.mutant["line"] - 1] = self.mutant["new"]
        self.path.write_text("\n".join(lines))

    def __exit__(self, *_):
        self.path.write_text(self.before)


def is_sound(bench, test, times, sound):
    """Whether the test passes in a tree that is right; asked once in a run, when it first kills."""
    if test not in sound:
        if not bench.make(test):
            sys.exit(f"{test} does not build in an unchanged tree")
        passes, seconds = bench.run(test, 600)
        sound[test] = passes
        times[test] = seconds
        if not passes:
            print(f"left out, since it fails in an unchanged tree: {test}", flush=True)
    return sound[test]


def judge(bench, mutant, times, sound, options):
    """killed TEST, survived, or not-compiled."""
    spent, count = 0, 0
    tests, own = tests_for(bench, mutant, times)
    for place, test in enumerate(tests):
        python = "python" in bench.tests[test]["cmd"][0]
        if not sound.get(test, True):
            continue
        if options.budget and spent > options.budget and (python or place >= own):
            break
        with Change(bench, mutant):
            made = bench.make(test)
            if not made:
                break
            passes, seconds = bench.run(test, options.patience * times.get(test, 10) + 60)
            if not passes and python:  # these start processes and may fail for another reason
                passes, seconds = bench.run(test, options.patience * times.get(test, 10) + 60)
        spent, count = spent + seconds, count + 1
        if passes:
            times.setdefault(test, seconds)
        elif is_sound(bench, test, times, sound):
            return "killed", test
    else:
        made = True
    if not made and bench.make(test):
        return "not-compiled", test
    if not made:
        print(f"{test} does not build in an unchanged tree", flush=True)
        end_with_children()
    return "survived", f"{count} tests"


# ---- Records -------------------------------------------------------------------------------------------

def read_record(path):
    return {line.split("\t")[0]: line.split("\t") for line in path.read_text().splitlines()} if path.exists() else {}


def write_record(path, record):
    path.write_text("".join("\t".join(row) + "\n" for row in sorted(record.values(), key=lambda row: (row[1], row[0]))))


def equivalent():
    """tools/mutants.equal: `key reason`, mutants that mean the same as the source."""
    path = ROOT / "tools/mutants.equal"
    lines = [line for line in path.read_text().splitlines() if line.strip() and line[0] != "#"] if path.exists() else []
    return {line.split()[0]: line.split(None, 1)[1] for line in lines}


def score(rows, floor):
    alike, folders = equivalent(), {}
    for key, folder, result, *_ in rows:
        kind = "equal" if result == "survived" and key in alike else result
        folders.setdefault(folder, {}).setdefault(kind, []).append(key)
    print(f"{'folder':16}{'killed':>8}{'survived':>10}{'equal':>7}{'not compiled':>14}")
    total = {}
    for folder, kinds in sorted(folders.items()):
        counts = [len(kinds.get(kind, [])) for kind in ("killed", "survived", "equal", "not-compiled")]
        print(f"{folder:16}{counts[0]:8}{counts[1]:10}{counts[2]:7}{counts[3]:14}")
        for kind, count in zip(("killed", "survived", "equal", "not-compiled"), counts):
            total[kind] = total.get(kind, 0) + count
    judged = total.get("killed", 0) + total.get("survived", 0)
    percent = 100 * total.get("killed", 0) / judged if judged else 100
    print(f"{total.get('killed', 0)} of {judged} mutants killed, {percent:.1f} %; {total.get('equal', 0)} mean the same, "
          f"{total.get('not-compiled', 0)} do not compile")
    return percent >= floor


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sample", type=int, default=0, help="as many generated mutants, spread over all folders")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="sample only files whose names contain one of these, separated by commas")
    parser.add_argument("--hand", action="store_true", help="those of tools/mutants.list")
    parser.add_argument("--only", default="", help="only those whose file, change or key contains this")
    parser.add_argument("--again", default="", help="judge anew those with this result, or all (`all`)")
    parser.add_argument("--known", action="store_true", help="only those that are in the record, whatever sample they were of")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--niceness", type=int, default=10)
    parser.add_argument("--patience", type=float, default=10, help="a test may take so many times its usual seconds")
    parser.add_argument("--budget", type=float, default=0, help="seconds of tests, besides those in C of its own folder, after which a mutant counts as survived; 0: all")
    parser.add_argument("--floor", type=float, default=0, help="exit 1 below this percentage")
    parser.add_argument("--record", type=pathlib.Path, default=ROOT / "build-mutants/record.tsv")
    parser.add_argument("--room", type=pathlib.Path, default=ROOT / "build-mutants", help="where the copies are")
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    parser.add_argument("--show", action="store_true", help="print the surviving mutants of the record and the score")
    options = parser.parse_args()

    made = [mutant for folder in FOLDERS for mutant in generated(folder)] if options.known else \
        sampled(options.sample, options.seed, options.files.split(",")) if options.sample else []
    mutants = (by_hand() if options.hand else []) + made
    mutants = [mutant for mutant in mutants if options.only in f"{mutant['file']} {mutant['what']} {mutant['key']}"]
    if options.list:
        for mutant in mutants:
            print(f"{mutant['key']}  {mutant['file']}:{mutant['line']}  {mutant['what']}\n    {mutant['new'].strip()}")
        return 0
    record = read_record(options.record)
    if options.known:
        mutants = [mutant for mutant in mutants if mutant["key"] in record]
    if options.show:
        for row in record.values():
            if row[2] == "survived":
                print("  ".join(row) + ("  (means the same)" if row[0] in equivalent() else ""))
        return 0 if score([row for row in record.values()], options.floor) else 1
    options.room.mkdir(parents=True, exist_ok=True)
    options.record.parent.mkdir(parents=True, exist_ok=True)
    wanted = [mutant for mutant in mutants if mutant["key"] not in record
              or (options.again in ("all", record[mutant["key"]][2]) and mutant["key"] not in equivalent())]
    benches = [Bench(options.room / f"job{job}", options.niceness) for job in range(min(options.jobs, max(1, len(wanted))))]
    clock = options.room / "times.json"
    times = json.loads(clock.read_text()) if clock.exists() else {}
    free, guard, sound = list(benches), threading.Lock(), {}
    signal.signal(signal.SIGTERM, end_with_children)
    signal.signal(signal.SIGINT, end_with_children)

    def work(mutant):
        with guard:
            bench = free.pop()
        try:
            result, why = judge(bench, mutant, times, sound, options)
        finally:
            with guard:
                free.append(bench)
        with guard:
            record[mutant["key"]] = [mutant["key"], mutant["folder"], result, why, f"{mutant['file']}:{mutant['line']}", mutant["what"],
                                     mutant["new"].strip().replace("\n", " ")[:120]]
            write_record(options.record, record)
            clock.write_text(json.dumps(times))
            print(f"{result:12} {mutant['file']}:{mutant['line']} {mutant['what']} ({why})", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(benches)) as pool:
        for future in [pool.submit(work, mutant) for mutant in wanted]:
            future.result()
    return 0 if score([record[mutant["key"]] for mutant in mutants], options.floor) else 1


if __name__ == "__main__":
    sys.exit(main())
