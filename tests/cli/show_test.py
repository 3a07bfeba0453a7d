# SPDX-License-Identifier: Apache-2.0
"""`ansatz show`: what it prints of the shipped families, in every form, and how it refuses bad input."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

from program import ANSATZ, ROOT, ProgramTest, main, run

FAMILIES = ROOT / "families"
FISHER = FAMILIES / "fisher.pde"


class Json(ProgramTest):
    def test_a_model_is_no_problem_file(self):
        self.fails(3, "is a model or a solver, not a problem file", "show", ROOT / "models/fisher-graph.safetensors")

    def fisher(self, *words):
        return self.json("show", FISHER, *words, "--json")

    def test_two_way_fisher(self):
        shown = self.fisher("--case", "H1")
        self.assertEqual(shown, json.loads(self.ok("show", FISHER, "--case=H1", "--as", "json")))
        self.assertEqual(shown["fields"], ["u", "v"])
        nodes, edges = shown["graph"]["nodes"], shown["graph"]["edges"]
        self.assertEqual((len(nodes), len(edges)), (22, 30))
        kinds = [node["kind"] for node in nodes]
        self.assertEqual([kinds.count(kind) for kind in ("field", "derivative", "term", "residual")], [2, 6, 12, 2])
        self.assertTrue(all(len(node["features"]) == 12 for node in nodes))
        order = ["field", "derivative", "term", "residual"]
        for start, end in edges:
            self.assertLess(order.index(nodes[start]["kind"]), order.index(nodes[end]["kind"]))
        self.assertEqual(len(shown["vector"]), 8)
        self.assertEqual([len(token) for token in shown["set"]], [6] * 12)
        self.assertRegex(shown["hash"], "^[0-9a-f]{16}$")

    def test_terms_of_fisher(self):
        terms = self.fisher("--case", "H1")["terms"]
        found = {(t["equation"], t["coefficient"], tuple(t["factors"])) for t in terms}
        expected = {("u", 1, ("u_t",)), ("u", -.008, ("u_xx",)), ("u", .25, ("u_x",)), ("u", -.9, ("u",)),
                    ("u", .9, ("u", "u")), ("u", -.15, ("v",)), ("v", 1, ("v_t",)), ("v", -.018, ("v_xx",)),
                    ("v", .65, ("v_x",)), ("v", -1.5, ("v",)), ("v", 1.5, ("v", "v")), ("v", -.35, ("u",))}
        self.assertEqual(found, expected)
        for term in terms:
            self.assertEqual(term["arity"], len(term["factors"]))

    def test_structures_have_their_own_graphs(self):
        sizes = {}
        for structure in ("uncoupled", "v_to_u", "u_to_v", "two_way"):
            graph = self.fisher("--structure", structure)["graph"]
            sizes[structure] = (len(graph["nodes"]), len(graph["edges"]))
        self.assertEqual(sizes, {"uncoupled": (20, 26), "v_to_u": (21, 28), "u_to_v": (21, 28), "two_way": (22, 30)})

    def test_assignments_choose_the_structure(self):
        shown = self.json("show", FAMILIES / "cdr.pde", "--set", "a=3,r=2", "--json")
        self.assertEqual((shown["structure"], shown["case"]), ("ar", None))
        self.assertEqual(shown["values"], {"a": 3, "r": 2})
        shown = self.fisher("--case", "H1", "--set", "k_uv=0.2")
        self.assertEqual((shown["case"], shown["values"]["k_uv"]), ("H1", 0.2))

    def test_plasma_numbers(self):
        shown = self.json("show", FAMILIES / "ccp.pde", "--set", "V0=200,R0=2e20", "--json")
        for name, value, digits in (("a_D", 0.6226, 4), ("a_mu", 41.506, 3), ("beta", 21.021, 3), ("S0", 0.039676, 6)):
            self.assertAlmostEqual(shown["values"][name], value, digits)
        self.assertTrue(all(len(node["features"]) == 22 for node in shown["graph"]["nodes"]))

    def test_every_family_in_every_descriptor(self):
        for family in sorted(FAMILIES.glob("*.pde")):
            for kind in ("graph", "set", "ownership", "vector", "presence", "dictionary"):
                with self.subTest(family=family.name, kind=kind):
                    done = run("show", family, "--descriptor", kind, "--json")
                    if kind == "dictionary" and family.stem in {"allen-cahn", "ccp", "kdv", "kuramoto-sivashinsky"}:
                        self.assertEqual(done.returncode, 4)
                        self.assertIn("is not in the dictionary", done.stderr)
                        continue
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    shown = json.loads(done.stdout)
                    self.assertEqual(shown["descriptor_kind"], kind)
                    rows = shown["descriptor"] if kind != "vector" else [shown["vector"]]
                    self.assertEqual(len({len(row) for row in rows}), 1)


class Text(ProgramTest):
    def test_fisher_is_told_as_understood(self):
        text = self.ok("show", FISHER, "--case", "H1")
        for line in ("Coordinates", "Case H1, structure two_way (held back from training)", "-0.008*u_xx", "-eps_u*u_xx",
                     "22 nodes: 2 fields, 6 derivatives, 12 terms, 2 residuals"):
            self.assertIn(line, text)

    def test_default_member_is_said(self):
        self.assertIn("Case H1, structure two_way (held back from training), the first", self.ok("show", FISHER))

    def test_shipped_family_by_name_and_standard_input(self):
        text = self.ok("show", "fisher", cwd="/")
        self.assertEqual(text.split("\n", 1)[1], self.ok("show", FISHER).split("\n", 1)[1])
        self.assertEqual(text.split("\n", 1)[1], self.ok("show", "families/fisher.pde", cwd="/").split("\n", 1)[1])
        self.fails(8, "cannot open families/../README.md", "show", "families/../README.md", cwd="/")
        with open(FISHER) as stream:
            self.assertEqual(self.ok("show", "-", stdin=stream).split("\n", 1)[1], text.split("\n", 1)[1])

    def test_descriptor_table(self):
        text = self.ok("show", FISHER, "--case", "H1", "--descriptor", "set")
        self.assertIn("Descriptor: set, 12 x 6", text)

    def test_dot(self):
        text = self.ok("show", FISHER, "--case", "H1", "--as", "dot")
        self.assertEqual(len(re.findall(r"n\d+ -> n\d+", text)), 30)


class Files(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_pictures(self):
        for extension, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            path = self.path / f"graph.{extension}"
            self.assertEqual(self.ok("show", FISHER, "--case", "H1", "-o", path), "")
            self.assertTrue(path.read_bytes().startswith(start))
            self.assertGreater(path.stat().st_size, 2000)
            piped = subprocess.run([ANSATZ, "show", FISHER, "--case", "H1", "--as", extension], capture_output=True, check=True)
            self.assertTrue(piped.stdout.startswith(start))
        self.assertEqual(len(list(self.path.iterdir())), 3)

    def test_folders_of_killed_pictures_are_removed(self):
        ancient = 1e9
        for name, age in (("ansatz-show-abcdef", ancient), ("ansatz-show-fedcba", None), ("ansatz-shown-abcdef", ancient)):
            folder = self.path / name
            folder.mkdir()
            for file in ("graph.svg", ".ansatz-abcdefgh"):
                (folder / file).write_text("half")
            if age:
                os.utime(folder, (age, age))
        target = self.path / "kept"
        target.mkdir()
        (target / "graph.svg").write_text("mine")
        (self.path / "ansatz-show-linked").symlink_to(target)
        os.utime(self.path / "ansatz-show-linked", (ancient, ancient), follow_symlinks=False)
        subprocess.run([ANSATZ, "show", FISHER, "--as", "svg"], capture_output=True, check=True, env={**os.environ, "TMPDIR": str(self.path)})
        left = {path.name for path in self.path.iterdir()}
        self.assertEqual(left, {"ansatz-show-fedcba", "ansatz-shown-abcdef", "ansatz-show-linked", "kept"})
        self.assertTrue((target / "graph.svg").exists())

    def test_the_extension_may_be_in_capitals(self):
        for name, start in (("graph.PNG", b"\x89PNG"), ("graph.Svg", b"<?xml"), ("graph.JSON", b"{"), ("graph.DOT", b"digraph")):
            path = self.path / name
            self.ok("show", FISHER, "--case", "H1", "-o", path)
            self.assertTrue(path.read_bytes().startswith(start), name)
        self.ok("show", FISHER, "--case", "H1", "-o", path.with_suffix(".PNG"), "--as", "png")

    def test_text_into_files(self):
        for extension in ("json", "dot", "text"):
            path = self.path / f"graph.{extension}"
            self.assertEqual(self.ok("show", FISHER, "-o", path), "")
            self.assertEqual(path.read_text(), self.ok("show", FISHER, "--as", extension))
        self.fails(2, "--json cannot be combined with --as svg", "show", FISHER, "--json", "--as", "svg")
        self.fails(2, "cannot be combined", "show", FISHER, "--json", "-o", self.path / "graph.svg")

    def test_what_cannot_be_written_is_told(self):
        for name in ("graph.svg", "graph.json"):
            self.fails(8, "cannot write", "show", FISHER, "-o", self.path / "nowhere" / name)
        self.fails(2, "do not match", "show", FISHER, "--as", "svg", "-o", self.path / "graph.png")
        with open("/dev/full", "w") as full:
            done = subprocess.run([ANSATZ, "show", FISHER, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 8)

    def bad(self, content):
        path = self.path / "bad.pde"
        path.write_bytes(content)
        return path

    def test_mistake_is_shown_in_its_line(self):
        text = FISHER.read_bytes().replace(b"eps_u*u_xx", b"eps_u*u_xxz")
        line = text[:text.index(b"u_xxz")].count(b"\n") + 1
        told = self.fails(3, "error:", "show", self.bad(text)).splitlines()
        column = text.split(b"\n")[line - 1].index(b"u_xxz") + 1
        self.assertTrue(told[0].startswith(f"{self.path / 'bad.pde'}:{line}:{column}: error: "), told[0])
        self.assertTrue(told[1].endswith("eps_u*u_xxz + a_u*u_x - rho_u*u*(1-u) - k_uv*v = 0"), told[1])
        self.assertEqual(told[1].index("u_xxz"), told[2].index("^"))
        self.assertEqual(told[2].strip(" |"), "^~~~~")

    def test_any_bytes_end_in_a_sentence(self):
        for content in (b"", b"\0", b"\xff\xfe\x00\x00", b"\x1b[31mred", b"(" * 100000, b"field " + b"u" * 100000,
                        b"\n" * 70000, b"equation u: " + b"u*" * 5000 + b"u = 0\n", "field \N{SNOWMAN}\n".encode()):
            done = run("show", self.bad(content))
            self.assertIn(done.returncode, (3, 4), content[:20])
            self.assertEqual(done.stdout, "")
            self.assertIn("error: ", done.stderr)
            self.assertTrue(all(c >= " " or c == "\n" for c in done.stderr), done.stderr[:200])
            self.assertLess(len(done.stderr), 2500)

    def test_more_than_a_text_is_refused(self):
        huge = self.bad(b"#" * (1 << 21))
        self.fails(8, "is larger than 1048576 bytes", "show", huge)
        with open(huge) as stream:
            self.fails(8, "standard input is larger than 1048576 bytes", "show", "-", stdin=stream)

    def test_missing_and_unreadable_files(self):
        self.fails(8, "No such file", "show", self.path / "none.pde")
        self.fails(8, "Is a directory", "show", self.path)
        folder = os.open(self.path, os.O_RDONLY)
        self.fails(8, "cannot read standard input: Is a directory", "show", "-", stdin=folder)
        os.close(folder)

    def test_wrong_members(self):
        self.fails(2, "there is no case 'H9'; there are H1, H2, H3, H4", "show", FISHER, "--case", "H9")
        self.fails(2, "there is no structure 'twoway'", "show", FISHER, "--structure", "twoway")
        self.fails(2, "not both", "show", FISHER, "--case", "H1", "--structure", "two_way")
        self.fails(2, "no structure has exactly", "show", FISHER, "--set", "k_uv=0.2")
        self.fails(2, "kuv", "show", FISHER, "--case", "H1", "--set", "kuv=0.2")
        self.fails(2, "k_uv", "show", FISHER, "--case", "H1", "--set", "k_uv=nan")
        self.fails(2, "k_uv", "show", FISHER, "--case", "H1", "--set", "k_uv=9")
        self.assertEqual(self.json("show", FISHER, "--case", "H1", "--set", "k_uv=9", "--outside", "--json")["values"]["k_uv"], 9)
        self.fails(2, "--as is one of text|json|dot|svg|png|pdf, not 'jsn'; did you mean 'json'?", "show", FISHER, "--as", "jsn")
        self.fails(2, "--case is given twice", "show", FISHER, "--case", "H1", "--case", "H2")
        self.fails(2, "show wants FILE", "show")


main()
