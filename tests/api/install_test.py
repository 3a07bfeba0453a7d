# SPDX-License-Identifier: Apache-2.0
"""Installs into a directory of its own and uses the result as a stranger would: header, libraries, pkg-config, files."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = map(pathlib.Path, sys.argv[1:3])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LANGUAGES = {"C": ["cc", "-std=c11", *STRICT], "C++": ["c++", "-std=c++17", "-x", "c++", *STRICT]}
# What only the program may need.
FOREIGN = ("sundials", "netcdf", "cairo", "jansson", "hdf5", "cmocka")


def output(*words, **settings):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, timeout=120, **settings).stdout


def build_option(name):
    options = json.loads(output("meson", "introspect", BUILD, "--buildoptions"))
    return next(option["value"] for option in options if option["name"] == name)


class Installed(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        stage = pathlib.Path(cls.folder.name)
        log = BUILD / "meson-logs" / "install-log.txt"
        kept = log.read_bytes() if log.exists() else None
        output("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", stage)
        if kept is not None:
            log.write_bytes(kept)  # the list of a real installation stays valid
        cls.prefix = next(path.parent.parent for path in stage.rglob("bin/ansatz"))
        cls.library = next(cls.prefix.rglob("libansatz.so")).parent  # lib/, unless configured otherwise
        cls.description = cls.library / "pkgconfig/ansatz.pc"
        cls.relocatable = "${pcfiledir}" in cls.description.read_text()
        if not cls.relocatable:  # configured for one place: tell it where the stage is
            cls.description.write_text(re.sub("^prefix=.*", f"prefix={cls.prefix}", cls.description.read_text(), flags=re.M))
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.library / "pkgconfig"),
                           "LD_LIBRARY_PATH": str(cls.library)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pkg_config(self, *words):
        return shlex.split(output("pkg-config", *words, "ansatz", env=self.environment))

    def soname(self):
        """As doc/releasing.md says: a name for every minor version before 1.0, then for every major one."""
        major, minor = self.pkg_config("--modversion")[0].split(".")[:2]
        return f"libansatz.so.0.{minor}" if major == "0" else f"libansatz.so.{major}"

    def symbols(self, *words):
        return set(re.findall(r" [TDRBVWi] (\S+)$", output("nm", *words), re.M))

    def test_files_are_where_systems_look(self):
        for path in ("include/ansatz.h", "share/man/man1/ansatz.1", "share/bash-completion/completions/ansatz.bash",
                     "share/zsh/site-functions/_ansatz", "share/fish/vendor_completions.d/ansatz.fish",
                     "share/ansatz/families/fisher.pde"):
            self.assertTrue((self.prefix / path).exists(), path)
        for name in ("libansatz.a", "libansatz.so", self.soname()):
            self.assertTrue((self.library / name).exists(), name)
        self.assertEqual(sorted(p.name for p in (self.prefix / "include").iterdir()), ["ansatz.h", "ansatz_fit.h"])

    def test_header_is_strict_and_short(self):
        header = self.prefix / "include/ansatz.h"
        self.assertLessEqual(len(header.read_text().splitlines()), 540)
        program = "#include <ansatz_fit.h>\nint main(void) { return 0; }\n"
        for command in (LANGUAGES["C"] + ["-x", "c"], LANGUAGES["C++"]):
            output(*command, "-fsyntax-only", "-", input=program, env={**self.environment, "CPATH": str(header.parent)})

    def test_description_finds_itself_unless_configured_otherwise(self):
        self.assertEqual(self.relocatable, build_option("pkgconfig.relocatable"))

    def test_only_public_names_are_visible(self):
        headers = "".join(path.read_text() for path in (self.prefix / "include").iterdir())
        declared = set(re.findall(r"\b(ans_\w+)\(", headers))
        shared = self.symbols("-D", "--defined-only", self.library / "libansatz.so")
        self.assertEqual(shared, declared)
        self.assertEqual(self.symbols("-g", "--defined-only", self.library / "libansatz.a"), declared)

    def test_library_needs_little_and_has_a_soname(self):
        dynamic = output("readelf", "-d", self.library / "libansatz.so")
        self.assertRegex(dynamic, rf"SONAME.*\[{re.escape(self.soname())}\]")
        needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
        self.assertTrue(all(re.match(r"(lib(c|m|openblas|gomp|pthread)|ld-[\w-]+)\.so", name) for name in needed), needed)
        everything = output("ldd", self.library / "libansatz.so", env=self.environment)
        for name in FOREIGN:
            self.assertNotIn(name, everything)
        if "libblas" in everything:
            self.assertIn("openblas", everything)

    def build(self, command, source, *libraries):
        program = pathlib.Path(self.folder.name) / "example"
        output(*command, source, *self.pkg_config("--cflags"), *libraries, "-o", program)
        return program

    def linkings(self):
        private = [word for word in self.pkg_config("--static", "--libs") if word != "-lansatz"]
        return {"shared": self.pkg_config("--libs"), "static": [self.library / "libansatz.a", *private]}

    def test_examples_run(self):
        family = ROOT / "families/fisher.pde"
        folder = pathlib.Path(self.folder.name)
        model, solver = folder / "made.model", folder / "made.solver"
        program = self.prefix / "bin/ansatz"
        output(program, "train", family, "-o", model, "--steps", 1, "--threads", 1)
        output(program, "solve", model, "--case", "H1", "--steps", 1, "--threads", 1, "--save", solver)
        arguments = {"graph": [family, "H1"], "train": [family, folder / "model", 1],
                     "solve": [model, "H1", 1, folder / "solver"], "evaluate": [solver]}
        for source in sorted((ROOT / "examples").glob("*.c")):
            printed = set()
            for language, command in LANGUAGES.items():
                for linking, libraries in self.linkings().items():
                    with self.subTest(example=source.name, language=language, linking=linking):
                        # -x c++ must not reach the archive, which follows the source
                        words = [*libraries] if language == "C" else ["-x", "none", *libraries]
                        program = self.build(command, source, *words)
                        printed.add(output(program, *arguments.get(source.stem, []), env=self.environment))
            self.assertEqual(len(printed), 1, source.name)
            self.assertTrue(printed.pop().strip(), source.name)

    def test_graph_example_counts(self):
        program = self.build(LANGUAGES["C"], ROOT / "examples/graph.c", *self.pkg_config("--libs"))
        printed = output(program, ROOT / "families/fisher.pde", "H1", env=self.environment)
        self.assertTrue(printed.startswith("22 nodes, 30 edges\n"), printed)

    def test_a_users_own_names_do_not_clash(self):
        source = pathlib.Path(self.folder.name) / "own.c"
        source.write_text('#include <ansatz.h>\n#include <stdio.h>\nvoid *memory_take(size_t n);\n'
                          'void *memory_take(size_t n) { (void)n; return 0; }\nint graph_build(void);\n'
                          'int graph_build(void) { return 7; }\n'
                          'int main(void) { ans_context *c; return ans_context_new(&c) == ANS_OK && graph_build() == 7 '
                          '&& !memory_take(1) ? (ans_context_free(c), 0) : 1; }\n')
        for libraries in self.linkings().values():
            output(self.build(LANGUAGES["C"], source, *libraries), env=self.environment)

    def test_installed_program_knows_its_manual(self):
        program = self.prefix / "bin/ansatz"
        self.assertEqual(output(program, "manual"), (self.prefix / "share/man/man1/ansatz.1").read_text())


if build_option("b_sanitize") != "none":
    sys.exit(77)  # a sanitized library is for these tests only: nobody links it without the sanitizer
unittest.main(argv=sys.argv[:1])
