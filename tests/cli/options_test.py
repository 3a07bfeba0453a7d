# SPDX-License-Identifier: Apache-2.0
"""Command lines: help, manual and completions say the same; mistakes end with the exit code of wrong usage."""
import os
import pty
import re
import shutil
import subprocess
import tempfile

from program import ANSATZ, ROOT, ProgramTest, main, run


def long_options(text):
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text))


class Agreement(ProgramTest):
    def setUp(self):
        self.table = self.json("help", "--json")
        self.everywhere = {option["name"] for option in self.table["options"]}
        self.manual = self.ok("manual").replace("\\-", "-")

    def test_overview_lists_every_command(self):
        overview = self.ok("help")
        listed = re.findall(r"^  ([a-z]+) {2,}\S", overview.split("Commands\n")[1].split("\n\n")[0], re.M)
        self.assertEqual(listed, [command["name"] for command in self.table["commands"]])
        self.assertEqual(overview, self.ok("--help"))

    def test_help_has_every_option_and_its_sentence(self):
        for command in self.table["commands"]:
            text = self.ok("help", command["name"])
            self.assertEqual(text, self.ok(command["name"], "--help"))
            self.assertLess(text.index("Examples"), text.index("Usage"))
            listed = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M))
            self.assertEqual(listed, {o["name"] for o in command["options"]} | self.everywhere)
            words = " ".join(text.split())
            for option in command["options"]:
                self.assertIn(" ".join(option["help"].split()), words)

    def test_manual_has_every_command_option_and_exit_code(self):
        for command in self.table["commands"]:
            section = self.manual.split(f".SS ansatz {command['name']}")[1]
            section = re.split(r"\n\.S[SH] ", section)[0]
            listed = set(re.findall(r"^(?:\\fB-\w\\fR, )?\\fB--([a-z-]+)\\fR", section, re.M))
            self.assertEqual(listed, {o["name"] for o in command["options"]})
        codes = re.findall(r"^\.TP\n(\d+)\n", self.manual, re.M)
        self.assertEqual([int(code) for code in codes], [entry["code"] for entry in self.table["exit_codes"]])

    def test_manual_is_clean_troff(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not here")
        page = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=self.ok("manual"), capture_output=True, text=True)
        self.assertEqual((page.returncode, page.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(".\b", "", page.stdout))

    def expected(self, command):
        return {o["name"] for o in command["options"]} | self.everywhere

    def test_zsh_completion_has_every_option(self):
        script = self.ok("completion", "zsh")
        for command in self.table["commands"]:
            section = script.split(f"    {command['name']}) _arguments")[1].split(";;")[0]
            listed = set(re.findall(r"^ +'--([a-z-]+)=?\[", section, re.M))
            self.assertEqual(listed, self.expected(command))

    def test_fish_completion_has_every_option(self):
        script = self.ok("completion", "fish")
        general = set(re.findall(r"^complete -c ansatz -l ([a-z-]+)", script, re.M))
        self.assertEqual(general, self.everywhere)
        for command in self.table["commands"]:
            seen = f"__fish_seen_subcommand_from {command['name']}'"
            own = set(re.findall(rf"{seen} -l ([a-z-]+)", script))
            self.assertEqual(own | general, self.expected(command))

    def complete(self, *words):
        """What bash would offer after these words."""
        quoted = " ".join(f"'{word}'" for word in words)
        script = (f'source /dev/stdin; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _ansatz; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script], input=self.ok("completion", "bash"), capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_completion_offers_every_option(self):
        names = {command["name"] for command in self.table["commands"]}
        self.assertEqual({w for w in self.complete("ansatz", "") if not w.startswith("-")}, names)
        self.assertEqual(self.complete("ansatz", "hel"), {"help"})
        for command in self.table["commands"]:
            offered = {word[2:] for word in self.complete("ansatz", command["name"], "--")}
            self.assertEqual(offered, self.expected(command))
            for option in command["options"]:
                if option["value"] and "|" in option["value"]:
                    offered = self.complete("ansatz", command["name"], "--" + option["name"], "")
                    self.assertEqual(offered, set(option["value"].split("|")))

    def test_readme_names_every_command_and_no_other(self):
        text = (ROOT / "README.md").read_text()
        names = {command["name"] for command in self.table["commands"]}
        for name in names:
            self.assertTrue(re.search(rf"`(?:ansatz )?{name}\b", text), f"README.md does not name `{name}`")
        listed = re.findall(r"^## (\w+) commands$", text, re.M)
        shown = set(re.findall(r"^\*\*`(\w+)`\*\*", text, re.M))
        self.assertLessEqual(shown, names)
        self.assertEqual([self.NUMBERS[len(shown)]], listed)
        self.assertLessEqual(long_options(text), self.everywhere.union(*({o["name"] for o in c["options"]} for c in self.table["commands"])))

    NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]

    def command_lines(self, text):
        """Every "ansatz COMMAND ..." in a page: in code, to the end of its line or of its back ticks."""
        fenced = "".join(re.findall(r"^```(?:sh|console|text)?[^\n]*\n(.*?)^```$", text, re.M | re.S)).replace("\\\n", " ")
        inline = re.findall(r"`(ansatz [^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
        return re.findall(r"(?:^|[|;&(]\s*|\$ )ansatz +([a-z]+\b[^|;&\n#]*)", fenced, re.M) + [line[7:] for line in inline]

    def test_command_lines_in_documents_exist(self):
        options = {c["name"]: {o["name"] for o in c["options"]} | self.everywhere for c in self.table["commands"]}
        options["manual"] = self.everywhere  # for the build
        pages = [path for folder in ("", "doc", "examples", "experiments", "models", "results", "cli", "lab") for path in (ROOT / folder).glob("*.md")]
        seen = 0
        for path in pages:
            for line in self.command_lines(path.read_text()):
                name = line.split()[0]
                if not re.fullmatch("[a-z]+", name):
                    continue
                seen += 1
                self.assertIn(name, options, f"{path.name}: ansatz {line}")
                self.assertLessEqual(long_options(line), options[name], f"{path.name}: ansatz {line}")
        self.assertGreater(seen, 60)

    def test_json_of_every_command_is_documented(self):
        headings = re.findall(r"^## `ansatz ([a-z]+)`$", (ROOT / "doc/json.md").read_text(), re.M)
        self.assertEqual(set(headings), {command["name"] for command in self.table["commands"]})

    def test_completion_as_json(self):
        for shell in ("bash", "zsh", "fish"):
            answer = self.json("completion", shell, "--json")
            self.assertEqual(answer, {"shell": shell, "script": self.ok("completion", shell)})


class Rules(ProgramTest):
    """Options without effect are refused, before anything is read: no file that is named here exists."""

    def setUp(self):
        self.commands = self.json("help", "--json")["commands"]

    def words(self, command, *names):
        """A command line that gives these options, each with a value of the right form."""
        options = {option["name"]: option for option in command["options"]}
        words = [command["name"], *["none" for word in command["operands"].split() if word[0] != "["]]
        for name in names:
            value = options[name]["value"] if name != "json" else None
            words += [f"--{name}"] if not value else [f"--{name}", value.split("|")[0]]
        return words

    def test_every_rule_is_kept(self):
        for command in self.commands:
            for rule in command["rules"]:
                option, needs = rule["option"], rule["needs"]
                needed = " or ".join(f"--{name}" for name in needs)
                if needs:
                    self.fails(2, f"--{option} has no effect without {needed}\n", *self.words(command, option))
                for name in needs:
                    self.assertNotIn("has no effect", run(*self.words(command, option, name)).stderr)
                for name in rule["excludes"]:
                    self.fails(2, f"--{name} cannot be combined with --{option}",
                               *self.words(command, option, *needs[:1], *([name] if name not in needs[:1] else [])))

    def test_rules_name_options(self):
        for command in self.commands:
            names = {option["name"] for option in command["options"]} | {"json"}
            for rule in command["rules"]:
                self.assertLessEqual({rule["option"], *rule["needs"], *rule["excludes"]}, names, command["name"])

    def test_options_that_others_make_useless(self):
        """By the values: a rule says which, where no rule can."""
        self.fails(2, "--rounds has no effect with --descriptor vector", "train", "fisher", "--describe", "--rounds", 3,
                   "--descriptor", "vector")
        self.fails(2, "--descriptor has no effect on a picture", "show", "fisher", "--as", "dot", "--descriptor", "set")
        self.fails(2, "--colours has no effect without --figure", "solve", "fisher-graph", "--colours", "safe")
        self.fails(2, "--grid has no effect without --output or --figure", "solve", "fisher-graph", "--grid", "x=5")
        self.fails(2, "--seeds cannot be combined with --report", "reproduce", "fisher", "--report", "--seeds", 101)


class Mistakes(ProgramTest):
    def test_nothing_said_prints_the_overview_as_a_mistake(self):
        self.fails(2, "Commands")

    def test_near_misses_are_named(self):
        self.fails(2, "there is no command 'hlep'; did you mean 'help'?", "hlep")
        self.fails(2, "there is no command 'zzz'; 'ansatz help' lists them", "zzz")
        self.fails(2, "help has no option --jsno; did you mean '--json'?", "help", "--jsno")
        self.fails(2, "there is no option -z", "help", "-z")

    def test_near_misses_of_what_ships_are_named(self):
        near = "No such file or directory; did you mean '{}'?\n"
        for command in ("show", "check", "reference"):
            self.fails(8, near.format("fisher"), command, "fishr")
        self.fails(8, near.format("fisher"), "train", "families/fishr.pde", "-o", "none")
        self.fails(8, near.format("fisher-graph"), "solve", "fisher-grap")
        self.fails(8, near.format("fisher-graph"), "solve", "models/fisher-grap.safetensors")
        self.fails(8, near.format("burgers"), "solve", "burger", "--from-scratch")
        self.fails(2, "there is no experiment fishr; did you mean 'fisher'?", "reproduce", "fishr")
        for words in (["show", "zzzzzz"], ["solve", "zzzzzz"], ["show", "elsewhere/fishr.pde"], ["show", "fishr/"]):
            self.assertNotIn("did you mean", self.fails(8, "cannot open", *words))
        self.fails(2, "rod is a problem, not a trained model", "solve", "rod")  # what is right is no near miss

    def test_values(self):
        self.fails(2, "--seed wants a value: N", "help", "--seed")
        self.fails(2, "--seed wants a whole number", "help", "--seed", "-1")
        self.fails(2, "--seed wants a whole number", "help", "--seed", "1e3")
        for seed in (2**63, 2**64 - 1, 2**64):  # what JSON could not tell
            self.fails(2, "--seed wants a whole number from 0 to 9223372036854775807", "help", "--seed", seed)
        self.fails(2, "--threads wants a whole number from 1 to 1024", "help", "--threads=0")
        self.fails(2, "--json takes no value", "help", "--json=yes")
        self.ok("--seed", 2**63 - 1, "--threads=3", "help", "-q")

    def test_no_value_is_empty(self):
        self.fails(2, "--cache wants a value: PATH", "reference", "fisher", "--cache", "")
        self.fails(2, "--cache wants a value: PATH", "reference", "fisher", "--cache=")
        self.fails(2, "--arms wants a value: LIST", "reproduce", "fisher", "--arms", "")
        self.fails(2, "--output wants a value: PATH", "train", "fisher", "-o", "")

    def test_operands(self):
        self.fails(2, "completion wants SHELL", "completion")
        self.fails(2, "does not take 'b'", "help", "help", "b")
        self.fails(2, "not for 'csh'", "completion", "csh")
        self.fails(2, "there is no command '--json'", "help", "--", "--json")

    def test_an_instruction_set_that_is_not_here(self):
        text = self.fails(2, "ANSATZ_ISA is 'foo', but this processor has:", "show", "fisher", environment={"ANSATZ_ISA": "foo"})
        self.assertIn("baseline\n", text)
        for name in ("", "baseline"):
            self.ok("help", environment={"ANSATZ_ISA": name})

    def test_the_overview_begins_with_what_the_program_is_for(self):
        for words in ((), ("help",), ("--help",)):
            done = run(*words)
            self.assertRegex(done.stdout or done.stderr, r"^ansatz - \w[^\n]+\n\nExamples\n  ansatz \w")

    def test_version(self):
        self.assertRegex(self.ok("--version"), r"^ansatz \d+\.\d+\.\d+( [0-9a-f]{7,}(-dirty)?)?\n$")


class New(ProgramTest):
    def test_a_file_that_is_there_is_replaced_only_by_force(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.pde")
            with open(path, "w") as file:
                file.write("mine")
            self.fails(8, "already exists; --force replaces it", "new", path)
            with open(path) as file:
                self.assertEqual(file.read(), "mine")
            self.ok("new", path, "--force", "--quiet")
            self.ok("show", path)


class Written(ProgramTest):
    def test_a_problem_file_is_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, part = (os.path.join(folder, name) for name in ("whole.pde", "part.pde"))
            self.ok("new", part, "--quiet")
            with open(whole, "w") as file:
                file.write('include "part.pde"\n')
            with open(part) as file:
                before = file.read()
            self.fails(2, "is a problem file and would be overwritten", "train", whole, "-o", part, "--steps", 1)
            self.fails(2, "is a problem file and would be overwritten", "show", whole, "-o", part)
            with open(part) as file:
                self.assertEqual(file.read(), before)


class Bytes(ProgramTest):
    def test_a_name_with_control_characters_is_no_name_for_a_family(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("c\x01d", "c\td", "c\nd", "c\x7fd", "c\x9bd"):
                self.fails(2, "is not a valid file name", "new", os.path.join(folder, name))
            self.assertEqual(os.listdir(folder), [])
            self.ok("new", os.path.join(folder, "M\u00fcller"), "--quiet")
            self.ok("show", os.path.join(folder, "M\u00fcller.pde"))

    def test_a_path_that_is_not_utf8_can_be_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path, told, plain = (os.path.join(folder, name + ".pde") for name in ("\udcff", "?", "plain"))
            self.fails(2, "is not a valid file name", "new", path)  # it could not stand in the text
            self.ok("new", plain, "--quiet")
            os.rename(plain, path)
            self.assertEqual(self.json("show", path, "--json")["file"], told)
            self.assertEqual(self.json("train", path, "--describe", "--json")["file"], told)
            self.assertEqual(self.json("check", path, "--json")["file"], told)
            title = self.json("reference", path, "--json", environment={"ANSATZ_CACHE": folder})["title"]
            self.assertEqual(title, "? first")


class Streams(ProgramTest):
    def test_closed_pipe_is_told(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([ANSATZ, "help"], stdout=write_end, stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        self.assertEqual(done.returncode, 8)
        self.assertEqual(done.stderr, "ansatz: error: cannot write to standard output: Broken pipe\n")

    def test_full_disk_is_told(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ANSATZ, "help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 8)
        self.assertIn("No space left on device", done.stderr)

    def test_closed_output_is_told(self):
        done = subprocess.run(["sh", "-c", '"$0" help >&-', ANSATZ], capture_output=True, text=True)
        self.assertEqual(done.returncode, 8)
        self.assertIn("cannot write to standard output", done.stderr)

    def on_terminal(self, **environment):
        """stderr of a mistake when it is a terminal."""
        master, slave = pty.openpty()
        subprocess.run([ANSATZ, "hlep"], stderr=slave, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
        os.close(slave)
        text = os.read(master, 4096).decode()
        os.close(master)
        return text

    def test_colours_only_where_wanted(self):
        environment = {"TERM": "xterm", "NO_COLOR": ""}
        self.assertIn("\033[", self.on_terminal(**environment))
        self.assertNotIn("\033[", self.on_terminal(**{**environment, "NO_COLOR": "1"}))
        self.assertNotIn("\033[", self.on_terminal(**{**environment, "TERM": "dumb"}))
        self.assertNotIn("\033[", run("hlep", environment=environment).stderr)


main()
