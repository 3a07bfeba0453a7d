# SPDX-License-Identifier: Apache-2.0
"""`ansatz train`: the table of parts, a run with its files, pauses of every kind, and how it refuses."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from program import ANSATZ, ROOT, ProgramTest, disk_of, main, run, run_until_it_steps
from small import SMALL, long_family

FISHER = ROOT / "families/fisher.pde"


class Table(ProgramTest):
    def total(self, *words):
        return self.json("train", FISHER, "--describe", "--json", *words)["parameters"]

    def test_parameter_counts_of_the_paper(self):
        for rounds in (1, 2, 5):
            self.assertEqual(self.total("--rounds", rounds), 132866)
        self.assertEqual(self.total("--descriptor", "dictionary"), 132514)
        for descriptor in ("set", "ownership", "vector", "presence"):
            self.assertLess(abs(self.total("--descriptor", descriptor) / 132866 - 1), 0.003, descriptor)

    def test_parts_add_up(self):
        table = self.json("train", FISHER, "--describe", "--json")
        self.assertEqual(sum(part["parameters"] for part in table["parts"]), table["parameters"])
        self.assertEqual(table["backbone"] + table["hypernetwork"], table["parameters"])
        printed = self.ok("train", FISHER, "--describe")
        self.assertEqual(printed.splitlines()[-1].split(), ["total", "132866"])


class Run(ProgramTest):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.family = self.folder / "small.pde"
        self.family.write_text(SMALL)

    def tearDown(self):
        self.temporary.cleanup()

    def test_a_checkpoint_is_not_lost_to_another_run(self):
        words = ["train", self.family, "-o", self.folder / "m.safetensors", "--threads", 1]
        checkpoint = self.folder / "m.safetensors.checkpoint"
        code, _ = run_until_it_steps(*words, "--steps", 1000000)
        kept = checkpoint.read_bytes()
        self.fails(2, "continue it with --resume", *words, "--quiet")
        self.assertEqual((code, checkpoint.read_bytes()), (130, kept))
        checkpoint.unlink()
        self.ok(*words, "--quiet")

    def test_coefficients_that_the_descriptor_does_not_see_are_told(self):
        """By training, by solving with the model, and by neither where the descriptor sees them."""
        self.family.write_text(SMALL.replace("coefficient D", "coefficient A in [1, 2]\ncoefficient D")
                               .replace("initial u = sin", "initial u = A*sin").replace("case one both:", "case one both: A=1.5"))
        told = ("A stands only in sources, conditions or transforms, where the descriptor graph does not see it: "
                "train with --descriptor vector")
        model = self.folder / "m.safetensors"
        for words, seen in (([], False), (["--descriptor", "vector"], True)):
            done = run("train", self.family, "-o", model, "--steps", 2, *words)
            self.assertEqual((done.returncode, told in done.stderr), (0, not seen), done.stderr)
            done = run("solve", model, "--case", "one", "--steps", 1)
            self.assertEqual((done.returncode, told in done.stderr), (0, not seen), done.stderr)
        self.assertNotIn("stands only", run("solve", model, "--case", "one", "--steps", 1, "--from-scratch").stderr)

    def test_what_can_be_shown_can_be_trained(self):
        """The longest problem that is read fits into a model file, and a longer one is refused at once."""
        self.family.write_text(long_family(8))
        for command in (["show"], ["train", "-o", self.folder / "m.safetensors"], ["solve", "--from-scratch"], ["check"]):
            self.fails(4, "with its equations multiplied out the problem has", *command, self.family)
        cases = 1
        self.family.write_text(long_family(4, cases))
        while run("show", self.family).returncode == 0:
            cases += 1
            self.family.write_text(long_family(4, cases))
        self.family.write_text(long_family(4, cases - 1))
        self.ok("train", self.family, "-o", self.folder / "m.safetensors", "--descriptor", "vector", "--quiet")
        header = int.from_bytes((self.folder / "m.safetensors").read_bytes()[:8], "little")
        self.assertGreater(header, 1 << 20)
        self.ok("solve", self.folder / "m.safetensors", "--case", "c0", "--steps", 1, "--quiet")

    def train(self, name, *words):
        if "--threads" not in words:
            words = (*words, "--threads", 1)
        return self.json("train", self.family, "-o", self.folder / name, "--json", *words)

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def test_a_run_and_its_files(self):
        log, figure = self.folder / "log.jsonl", self.folder / "loss.svg"
        told = self.train("model", "--log", log, "--figure", figure, "--seed", 3, "--steps", 200)
        self.assertEqual((told["steps"], told["planned"], told["seed"], told["rollbacks"], told["interrupted"]), (200, 200, 3, 0, False))
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([line["step"] for line in lines], [1, *range(10, 201, 10)])
        self.assertLess(lines[-1]["loss"], lines[0]["loss"] / 2)
        self.assertIn("<svg", figure.read_text())
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["log.jsonl", "loss.svg", "model", "small.pde"])

    def test_threads_change_no_bit_but_the_seed_does(self):
        for name, words in {"one": ["--threads", 1], "two": ["--threads", 2], "other": ["--seed", 5]}.items():
            self.train(name, *words)
        self.assertEqual(self.bytes("one"), self.bytes("two"))
        self.assertNotEqual(self.bytes("one"), self.bytes("other"))

    def interrupted(self, kind, *words):
        """A long run that is ended by a signal once it has a checkpoint."""
        words = ["train", self.family, "-o", self.folder / "model", "--steps", "100000", "--checkpoint", "5", "--threads", "1", "--quiet", *words]
        process = subprocess.Popen([ANSATZ, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        checkpoint = self.folder / "model.checkpoint"
        deadline = time.monotonic() + 60
        while not checkpoint.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(kind)
        process.communicate(timeout=60)
        self.assertTrue(checkpoint.exists())
        return process.returncode

    def test_killed_and_resumed_gives_the_same_bits(self):
        self.assertEqual(self.interrupted(signal.SIGKILL), -signal.SIGKILL)
        self.finish()

    def test_interrupted_and_resumed_gives_the_same_bits(self):
        self.assertEqual(self.interrupted(signal.SIGINT), 130)
        self.assertFalse((self.folder / "model").exists())
        self.finish()

    def test_an_interrupted_run_leaves_the_finished_model(self):
        model, figure = self.folder / "model", self.folder / "loss.svg"
        self.train("model", "--steps", 30)
        before = model.read_bytes()
        for more in ([], ["--resume"]):
            words = ["train", self.family, "-o", model, "--figure", figure, "--steps", 100000000, "--threads", 1, "--json", *more]
            code, printed = run_until_it_steps(*words)
            told = json.loads(printed)
            self.assertEqual((code, told["interrupted"], told["model"]), (130, True, None))
            self.assertEqual(told["checkpoint"], f"{model}.checkpoint")
            self.assertEqual(model.read_bytes(), before)
            self.assertFalse(figure.exists())
            (self.folder / "model.checkpoint").unlink()

    def test_an_interrupted_run_says_how_to_go_on(self):
        model = self.folder / "model"
        code, printed = run_until_it_steps("train", self.family, "-o", model, "--steps", 100000000, "--threads", 1)
        self.assertEqual((code, printed.splitlines()[-1].split()[:2]), (130, ["checkpoint", f"{model}.checkpoint"]))

    def test_terminated_and_resumed_gives_the_same_bits(self):
        self.assertEqual(self.interrupted(signal.SIGTERM), 143)
        self.finish()

    def steps_done(self):
        header = (self.folder / "model.checkpoint").read_bytes()[8:4000].decode("ascii", "replace")
        return int(header.split('"steps":"')[1].split('"')[0])

    def finish(self):
        steps = self.steps_done() + 20  # some further than the pause, wherever that was
        self.train("model", "--resume", "--steps", steps)
        self.train("whole", "--steps", steps)
        self.assertEqual(self.bytes("model"), self.bytes("whole"))
        self.assertFalse((self.folder / "model.checkpoint").exists())

    def test_refusals(self):
        self.fails(2, "--output", "train", self.family)
        self.fails(2, "", "train", self.family, "-o", self.folder / "m", "--descriptor", "picture")
        self.fails(2, "", "train", self.family, "-o", self.folder / "m", "--steps", "0")
        for code, sentence, words in ((8, "cannot write", ["-o", self.folder / "no/where"]),
                                      (2, "one of png|svg|pdf", ["-o", self.folder / "m", "--figure", "loss.gif"])):
            self.fails(code, sentence, "train", self.family, "--steps", 100000000, *words)
        self.fails(8, "", "train", self.folder / "absent.pde", "-o", self.folder / "m")
        self.assertFalse((self.folder / "m").exists())

    def test_files_that_would_destroy_each_other_are_refused(self):
        f, model = self.folder, self.folder / "m.svg"
        (f / "link.pde").symlink_to(self.family)
        for names, words in (("FILE | --output", ["-o", self.family]), ("FILE | --output", ["-o", f / "link.pde"]),
                             ("FILE | --log", ["-o", model, "--log", f"{f}/../{f.name}/small.pde"]),
                             ("--output | --figure", ["-o", model, "--figure", f"{f}/./m.svg"]),
                             ("--output | --log", ["-o", model, "--log", model]),
                             ("--log | the checkpoint", ["-o", model, "--log", f"{model}.checkpoint"])):
            text = self.fails(2, "are the same file", "train", self.family, "--steps", 100000000, *words)
            for name in names.split(" | "):
                self.assertIn(name + " ", text)
        self.assertEqual(self.family.read_text(), SMALL)
        self.assertEqual(sorted(path.name for path in f.iterdir()), ["link.pde", "small.pde"])
        self.train("model", "--steps", 1, "--log", "/dev/null", "--figure", f / "model.svg")

    def test_a_checkpoint_of_another_problem_is_refused(self):
        self.interrupted(signal.SIGKILL)
        self.family.write_text(SMALL.replace("[0.5, 1]", "[0.5, 2]"))
        self.fails(5, "another problem", "train", self.family, "-o", self.folder / "model", "--resume")

    def test_a_checkpoint_of_other_settings_is_refused(self):
        self.interrupted(signal.SIGKILL)
        for words in (["--seed", 9], ["--descriptor", "vector"], ["--rounds", 3], ["--precision", 64], ["--rate", 1]):
            self.fails(5, "another", "train", self.family, "-o", self.folder / "model", "--resume", *words)

    def test_a_checkpoint_of_other_bits_is_refused(self):
        self.interrupted(signal.SIGKILL, "--precision", 64)
        words = ["train", self.family, "-o", self.folder / "model", "--resume"]
        self.fails(5, "another precision", *words, "--precision", 32)
        self.train("model", "--resume", "--steps", self.steps_done() + 1)

    def test_a_rate_that_was_halved_is_still_the_one_that_was_asked_for(self):
        self.steep()
        self.interrupted(signal.SIGINT, "--rate", 6)
        self.fails(5, "another rate", "train", self.family, "-o", self.folder / "model", "--resume", "--rate", 3)
        steps = self.steps_done() + 20
        told = self.train("model", "--resume", "--rate", 6, "--steps", steps)
        self.assertGreater(told["rollbacks"], 0)
        self.assertEqual(told["rate"], 6 / 2 ** told["rollbacks"])

    def test_fewer_steps_than_are_done_are_refused(self):
        self.interrupted(signal.SIGINT)
        before = self.bytes("model.checkpoint")
        steps = self.steps_done()
        self.fails(2, f"has already done {steps} steps", "train", self.family, "-o", self.folder / "model", "--resume", "--steps", steps - 1)
        self.assertEqual(self.bytes("model.checkpoint"), before)
        self.assertEqual(self.train("model", "--resume", "--steps", steps)["steps"], steps)

    def test_a_damaged_checkpoint_is_refused(self):
        self.interrupted(signal.SIGKILL)
        checkpoint = self.folder / "model.checkpoint"
        content = bytearray(checkpoint.read_bytes())
        content[len(content) // 2] ^= 4
        checkpoint.write_bytes(content)
        self.fails(5, "checksum", "train", self.family, "-o", self.folder / "model", "--resume")

    def test_nothing_to_resume_begins_anew(self):
        done = run("train", self.family, "-o", self.folder / "model", "--resume", "--steps", 2)
        self.assertEqual(done.returncode, 0)
        self.assertIn("begins at step 1", done.stderr)

    def steep(self):
        """A family whose training diverges when its rate is large."""
        steep = SMALL.replace("field u", "field u = exp(_*_)").replace("sin(2*pi*x)", "sin(2*pi*x) soft weight 1")
        self.family.write_text(steep.replace("points 64", "points 64, initial 16"))

    def test_the_log_of_a_run_that_went_back_is_json(self):
        def refuse(word):
            raise AssertionError(f"{word} is no JSON")
        self.steep()
        log = self.folder / "log.jsonl"
        told = self.train("model", "--rate", 6, "--log", log)
        lines = [json.loads(line, parse_constant=refuse) for line in log.read_text().splitlines()]
        self.assertTrue(all(line["step"] > 0 for line in lines))
        self.assertGreater(told["rollbacks"], 0)

    def test_a_log_that_cannot_be_written_is_told(self):
        text = run("train", self.family, "-o", self.folder / "model", "--log", "/dev/full", "--quiet")
        self.assertEqual(text.returncode, 8)
        self.assertIn("cannot write /dev/full: No space left on device", text.stderr)
        self.assertTrue((self.folder / "model").exists())

    def test_a_diverging_run_says_where(self):
        self.steep()
        text = self.fails(6, "diverged at step", "train", self.family, "-o", self.folder / "model", "--rate", 1000)
        self.assertIn("moving", text)
        self.assertFalse((self.folder / "model").exists())

    def test_networks_too_large_for_a_file_are_told_before_any_step(self):
        wide = self.folder / "wide.pde"
        wide.write_text(self.family.read_text() + "override network width 2048, layers 6\n")
        self.fails(4, "a checkpoint holds at most", "train", wide, "-o", self.folder / "model", "--quiet")

    def test_a_full_disk_leaves_the_old_model(self):
        self.train("model", "--steps", 1)
        before = self.bytes("model")
        self.fails(8, "cannot write", "train", self.family, "-o", self.folder / "model", "--steps", 2, preexec_fn=disk_of(1000))
        self.assertEqual(self.bytes("model"), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["model", "small.pde"])

    def limited(self, bytes, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes, bytes))
        return run("train", self.family, "-o", self.folder / "model", "--threads", 1, *words, preexec_fn=limit)

    def test_checkpoints_that_cannot_be_written_cost_no_step(self):
        self.train("whole", "--steps", 40)
        size = len(self.bytes("whole"))
        done = self.limited(size + 1000, "--steps", 40, "--checkpoint", 10)  # a checkpoint holds three times as many numbers
        self.assertEqual((done.returncode, done.stderr.count("cannot write")), (0, 1), done.stderr)
        self.assertIn("model.checkpoint", done.stderr)
        self.assertEqual(self.bytes("model"), self.bytes("whole"))
        done = self.limited(1000, "--steps", 50, "--checkpoint", 10)
        self.assertEqual((done.returncode, done.stderr.count("cannot write")), (8, 2), done.stderr)
        self.assertEqual(self.bytes("model"), self.bytes("whole"))

    def test_steps_are_kept_when_the_model_cannot_be_written(self):
        (self.folder / "nowhere").mkdir()
        link, checkpoint = self.folder / "model", self.folder / "model.checkpoint"
        link.symlink_to(self.folder / "nowhere/gone/model")
        text = self.fails(8, "--resume writes the model", "train", self.family, "-o", link, "--steps", 20, "--threads", 1)
        self.assertIn("cannot write", text)
        link.unlink()
        self.assertEqual(self.train("model", "--resume", "--steps", 20)["steps"], 20)
        self.assertFalse(checkpoint.exists())

    def test_names_as_long_as_a_folder_takes_them(self):
        longest = "m" * (255 - len(".checkpoint"))
        self.train(longest, "--steps", 10, "--checkpoint", 5)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [longest, "small.pde"])
        for length in (245, 250, 256):
            self.fails(8, "File name too long", "train", self.family, "-o", self.folder / ("m" * length), "--steps", 100000000)
        deep = self.folder / "/".join(["f" * 200] * 19)
        deep /= "g" * (4095 - len(str(deep)) - 101)
        deep.mkdir(parents=True)
        self.fails(8, "cannot write", "train", self.family, "-o", deep / ("m" * 95), "--steps", 100000000)

    def test_a_directory_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        self.folder.chmod(0o500)
        self.fails(8, "cannot write", "train", self.family, "-o", self.folder / "model", "--steps", 1)
        self.folder.chmod(0o700)


main()
