"""Any log in: policies as files, statistics of parts, what is wrong with logs told at once, formats by content."""

import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import time
import zipfile

import made_up_sepsis
from support import PATIENCE, PROGRAM, CliTest, environment, main, random_episodes, steps


def three_states(i, t):
    return 10 * ((i + t) % 3)


class Policies(CliTest):
    def setUp(self):
        super().setUp()
        self.rows = steps(random_episodes(300), state=three_states)
        self.write_table("logs.csv", self.rows)

    def with_target(self, name, probability):
        rows = [dict(row, target_prob=repr(probability(row)), **{f"target_probs_{a}": repr(probability(dict(row, action=a)))
                                                               for a in (0, 1)}) for row in self.rows]
        return self.write_table(name, rows)

    def check(self, policy, probability, estimators="naive,wpdis,star(phi=identity),dr(q=fqe)", places=12):
        """The policy as a file says what the same policy as columns says, for estimators with a Q-function as well."""
        self.with_target("columns.csv", probability)
        asked = ("--estimators", estimators, "--json")
        expected = self.answer("evaluate", "columns.csv", *asked).json()
        found = self.answer("evaluate", "logs.csv", "--target", policy, *asked).json()
        for a, b in zip(found["estimates"], expected["estimates"], strict=True):
            self.assertAlmostEqual(a["value"], b["value"], places=places, msg=a["estimator"])
            self.assertAlmostEqual(a["std_error"], b["std_error"], places=places)
        self.assertEqual(self.answer("inspect", "logs.csv", "--target", policy, "--json").json()["action"]["actions"][1]["target_mean_prob"] > 0, True)
        streamed = self.answer("evaluate", "logs.csv", "--target", policy, "--estimators", "wpdis", "--memory", "1kB", "--json").json()
        self.assertEqual(streamed["estimates"][0]["value"], found["estimates"][1]["value"])

    def test_probabilities_by_state(self):
        right = {0: 0.25, 10: 0.5, 20: 0.9}
        self.write("policy.csv", "state,left,right\n20,0.1,0.9\n0,0.75,0.25\n10,0.5,0.5\n")
        self.check("policy.csv", lambda row: right[row["state"]] if row["action"] == 1 else 1 - right[row["state"]])

    def test_one_row_for_all_states(self):
        self.write("policy.csv", "left,right\n0.3,0.7\n")
        self.check("policy.csv", lambda row: 0.7 if row["action"] == 1 else 0.3)

    def test_a_linear_policy_of_features(self):
        layer = {"weight": [[0, 0], [0.125, -0.5]], "bias": [0, 0.25]}
        self.write("policy.json", json.dumps({"schema": "starope.policy/1", "layers": [layer], "features": ["x", "y"]}))
        for row in self.rows:
            row.update(y=row["t"] / 4, x=row.pop("state") / 10)
        self.write_table("logs.csv", self.rows)

        def probability(row):
            right = 1 / (1 + math.exp(-(0.125 * row["x"] - 0.5 * row["y"] + 0.25)))
            return right if row["action"] == 1 else 1 - right

        self.with_target("columns.csv", probability)
        asked = ("--state", "y,x", "--estimators", "wpdis,dr(q=fqe,features=linear)", "--json")
        expected = self.answer("evaluate", "columns.csv", *asked).json()["estimates"]
        found = self.answer("evaluate", "logs.csv", "--target", "policy.json", *asked).json()["estimates"]
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a["value"], b["value"], delta=1e-5 * abs(b["value"]))  # weights are in single precision

    def test_what_does_not_fit(self):
        self.write("policy.csv", "state,left,right\n20,0.1,0.9\n0,0.75,0.25\n")
        self.refused(1, "evaluate", "logs.csv", "--target", "policy.csv", says=["policy.csv", "state 10"])
        self.refused(2, "evaluate", "logs.csv", "--target", "policy.csv", "--target-prob", "p", says=["not in both"])
        self.refused(1, "evaluate", "logs.csv", "--target", "none.csv", says=["none.csv"])
        self.refused(1, "evaluate", "logs.csv", "--target", "policy.pt", says=[".json"])
        self.write("policy.csv", "state,left,right\n20,0.1,0.8\n")
        self.refused(1, "evaluate", "logs.csv", "--target", "policy.csv", says=["sum to 0.9"])


class Statistics(CliTest):
    estimators = "naive,is,wis,wpdis,star(phi=identity,clip=2)"

    def setUp(self):
        super().setUp()
        rows = steps(random_episodes(600), state=three_states)
        self.write_table("whole.csv", rows)
        self.write_table("a.csv", [row for row in rows if row["episode"] < 200])
        self.write_table("b.csv", [row for row in rows if row["episode"] >= 200])

    def test_parts_on_several_machines(self):
        self.answer("evaluate", "a.csv", "--estimators", self.estimators, "--gamma", "0.9", "--emit", "a.star")
        self.answer("evaluate", "b.csv", "--like", "a.star", "--emit", "b.star", "--memory", "1kB")
        merged = self.answer("merge", "a.star", "b.star", "-o", "whole.star")
        self.assertIn("600 episodes", merged.err)
        os.remove(self.folder / "a.csv")  # the logs are not needed any more
        found = self.answer("evaluate", "whole.star", "--json").json()
        expected = self.answer("evaluate", "whole.csv", "--estimators", self.estimators, "--gamma", "0.9", "--json").json()
        for key in "episodes", "steps", "gamma", "terminated":
            self.assertEqual(found["data"][key], expected["data"][key])
        for a, b in zip(found["estimates"], expected["estimates"], strict=True):
            self.assertEqual(a["estimator"], b["estimator"])
            self.assertAlmostEqual(a["value"] / b["value"], 1, places=9)
            self.assertEqual(a["interval"]["method"], "jackknife")
            self.assertLess(abs(a["std_error"] / b["std_error"] - 1), 0.6)
        self.assertIn("wpdis", self.answer("evaluate", "whole.star").out)

    def test_the_example_for_slurm(self):
        """What Slurm does: a task of an array for every file, and what the comments of the script say comes behind them."""
        script = pathlib.Path(__file__).resolve().parents[2] / "examples" / "evaluate_slurm.sh"
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "starope").symlink_to(pathlib.Path(PROGRAM).resolve())

        def run(*command, **env):
            own = environment(PATH=f"{tools}:{os.environ['PATH']}", SLURM_CPUS_PER_TASK="1", ESTIMATORS=self.estimators, **env)
            done = subprocess.run(command, cwd=self.folder, env=own, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)

        for task in "1", "2":
            run("bash", script, "a.csv", "b.csv", SLURM_ARRAY_TASK_ID=task)
        wrapped = re.search(r"--wrap '(.*)'", script.read_text())[1]
        run("bash", "-c", wrapped)
        found = json.loads((self.folder / "answer.json").read_text())
        expected = self.answer("evaluate", "whole.csv", "--estimators", self.estimators, "--json").json()
        self.assertEqual(found["data"]["episodes"], 600)
        for a, b in zip(found["estimates"], expected["estimates"], strict=True):
            self.assertAlmostEqual(a["value"] / b["value"], 1, places=9)

    def test_auto_and_the_decision(self):
        """Parts of an automatic answer, with the difference, the probability and the verdict that the logs have."""
        self.answer("simulate", "cartpole", "--episodes", "300", "--seed", "1", "-o", "first.csv")
        self.answer("simulate", "cartpole", "--episodes", "200", "--seed", "2", "-o", "second.csv")
        first = self.answer("evaluate", "first.csv", "--emit", "first.star", "--json").json()
        direct = self.answer("evaluate", "first.csv", "--json").json()
        for key in "value", "estimator":
            self.assertEqual(type(first["answer"][key]), type(direct["answer"][key]))
        self.assertEqual(first["answer"]["estimator"], "auto")
        self.assertAlmostEqual(first["answer"]["value"], direct["answer"]["value"], delta=1e-4 * abs(direct["answer"]["value"]))
        self.assertLess(abs(first["answer"]["std_error"] / direct["answer"]["std_error"] - 1), 0.3)
        self.assertAlmostEqual(first["difference"]["logged"]["value"], direct["difference"]["logged"]["value"])
        # The same decision; but 62 groups of episodes may tell less about the error than 300 episodes do, and never more.
        codes = {reason["code"] for reason in first["verdict"]["reasons"]}
        self.assertNotIn("fragile_standard_error", codes)  # these are groups, not episodes
        if "fragile_grouped_error" in codes:
            self.assertEqual(first["verdict"]["grade"], "doubtful")
            self.assertIn(direct["verdict"]["grade"], ("supported", "doubtful"))
            codes.remove("fragile_grouped_error")
        else:
            self.assertEqual(first["verdict"]["grade"], direct["verdict"]["grade"])
        self.assertLessEqual(codes, {reason["code"] for reason in direct["verdict"]["reasons"]})
        self.answer("evaluate", "second.csv", "--like", "first.star", "--emit", "second.star")
        self.answer("merge", "first.star", "second.star", "-o", "all.star")
        shown = self.answer("evaluate", "all.star")
        self.assertTrue(shown.out.startswith("The target policy earns "), shown.out)
        found = self.answer("evaluate", "all.star", "--json").json()
        self.assertEqual(found["data"]["episodes"], 500)
        self.assertIn("verdict", found)
        # Another model is a stranger, and both are named.
        self.answer("evaluate", "second.csv", "--emit", "other.star")
        self.refused(1, "merge", "first.star", "other.star", "-o", "c.star",
                     says=["other.star", "of 300 episodes", "of 200 episodes"])

    def test_strangers_and_twins(self):
        for name, *flags in (("a", "--gamma", "0.9"), ("b", "--gamma", "0.8")):
            self.answer("evaluate", f"{name}.csv", "--estimators", "naive", *flags, "--emit", f"{name}.star")
        self.refused(1, "merge", "a.star", "b.star", "-o", "c.star", says=["b.star", "gamma 0.9", "gamma 0.8"])
        self.refused(1, "merge", "a.star", "a.star", "-o", "c.star", says=["count twice"])
        self.assertFalse((self.folder / "c.star").exists())
        damaged = bytearray((self.folder / "a.star").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        self.write("damaged.star", bytes(damaged))
        self.refused(1, "evaluate", "damaged.star", says=["damaged.star", "checksum"])
        self.refused(1, "merge", "a.star", "damaged.star", "-o", "c.star", says=["damaged.star"])
        self.write("text.star", "episode,reward\n")
        self.refused(1, "evaluate", "text.star", says=["text.star"])

    def test_wrong_use(self):
        self.refused(2, "evaluate", "a.csv", "--emit", "a.csv", says=[".star"])
        self.refused(2, "evaluate", "a.csv", "--estimators", "fqe", "--emit", "a.star", says=["fqe", "cannot be counted"])
        self.answer("evaluate", "a.csv", "--emit", "a.star")
        self.refused(2, "evaluate", "b.csv", "--like", "a.star", "--gamma", "0.5", "--emit", "b.star", says=["--like"])
        self.refused(2, "evaluate", "a.star", "--gamma", "0.5", says=["know their estimators"])
        self.refused(2, "evaluate", "a.csv", "--like", "a.star", "--emit", "a.star", says=["written over"])
        self.refused(2, "merge", "a.star", "-o", "whole.csv", says=[".star"])
        self.write("p.csv", "left,right\n0.3,0.7\n")
        self.refused(2, "evaluate", "b.csv", "--like", "a.star", "--target", "p.csv", "--emit", "b.star", says=["target policy"])
        # What sums over episodes cannot say is not left out in silence.
        for flag, value in (("--by", "action"), ("--behavior", "estimate"), ("--quantiles", "0.5"), ("--below", "1"),
                            ("--interval", "bootstrap-bca")):
            self.refused(2, "evaluate", "b.csv", flag, value, "--emit", "c.star", says=[flag, "all logs at once"])
            self.refused(2, "evaluate", "a.star", flag, value, says=[flag, "all logs at once"])
            self.assertFalse((self.folder / "c.star").exists())
        self.refused(2, "evaluate", "a.star", "--target", "p.csv", says=["leave --target out"])
        self.assertIsNone(self.answer("evaluate", "a.star", "--interval", "none", "--json").json()["estimates"][0].get("interval"))


class Convert(CliTest):
    def test_blocks_are_written_as_the_whole_is(self):
        self.write_table("d.csv", steps(random_episodes(2000), state=three_states))
        self.answer("convert", "d.csv", "whole.csv")
        said = self.answer("convert", "d.csv", "blocks.csv", "--memory", "1kB").err
        self.assertIn("2,000 episodes", said)
        self.assertEqual((self.folder / "blocks.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())
        self.refused(1, "convert", "d.csv", "blocks.npz", "--memory", "1kB", says=["written from memory", "need about"])
        self.assertFalse((self.folder / "blocks.npz").exists())

    def test_ids_that_an_archive_cannot_hold_are_told(self):
        self.write("named.csv", "episode,reward,behavior_prob,target_prob\na,1,1,1\nb,1,1,1\n")
        self.assertIn("episodes are numbered from 0", self.answer("convert", "named.csv", "named.npz").err)
        self.assertNotIn("numbered", self.answer("convert", "named.npz", "back.npz").err)
        self.assertNotIn("numbered", self.answer("convert", "named.csv", "named-again.csv").err)


class Offences(CliTest):
    def test_the_first_ten_and_the_number_of_the_rest(self):
        rows = steps(random_episodes(50))
        for i in range(0, 60, 2):
            rows[i]["reward"] = "lots" if i % 4 == 0 else ""
        self.write_table("d.csv", rows)
        for flags in ((), ("--memory", "1kB")):
            said = self.refused(1, "inspect", "d.csv", *flags, says=["d.csv, row 2, column 'reward': 'lots' is not a number"]).err
            self.assertIn("row 4, column 'reward': is empty", said)
            self.assertIn("row 20", said)
            self.assertNotIn("row 22", said)
            self.assertIn("and 20 more rows", said)

    def test_rules_of_values(self):
        rows = steps(random_episodes(50))
        for i in range(12):
            rows[i]["behavior_prob"] = 1.5
        self.write_table("d.csv", rows)
        for flags in ((), ("--memory", "1kB")):
            said = self.refused(1, "evaluate", "d.csv", *flags).err
            self.assertIn("row 2, column 'behavior_prob': '1.5' is not a probability", said)
            self.assertIn("and 2 more rows", said)

    def test_a_single_one_is_one_line(self):
        rows = steps(random_episodes(5))
        rows[3]["reward"] = "x"
        self.write_table("d.csv", rows)
        self.assertEqual(self.refused(1, "evaluate", "d.csv").err.count("\n"), 1)

    def test_other_formats(self):
        rows = steps(random_episodes(50))
        for i in range(12):
            rows[i]["behavior_prob"] = 1.5
        self.write("d.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n")
        result = self.run_cli("evaluate", "d.jsonl")
        self.assertEqual(result.code, 1)
        if "DuckDB" in result.err and "libduckdb" in result.err:
            self.skipTest("DuckDB's library is not here")
        self.assertIn("row 9", result.err)
        self.assertIn("and 2 more rows", result.err)


class Strict(CliTest):
    def test_a_check_for_scripts(self):
        self.write_table("good.csv", steps([[(0, 1.0, 0.5, 0.5)], [(1, 2.0, 0.5, 0.5)]] * 30))
        self.answer("inspect", "good.csv")
        rows = steps(random_episodes(400))
        for row in rows:
            row["behavior_prob"] = 0.99
        self.write_table("bad.csv", rows)
        self.answer("inspect", "bad.csv")
        result = self.run_cli("inspect", "bad.csv", "--strict")
        self.assertEqual(result.code, 1)
        self.assertIn("warning or worse", result.err)
        self.assertIn("ratio", result.out)

    def test_blocks_say_what_memory_says(self):
        self.write_table("d.csv", steps(random_episodes(300), state=three_states))
        self.assertEqual(self.answer("inspect", "d.csv", "--json").out,
                         self.answer("inspect", "d.csv", "--json", "--memory", "1kB").out)

    def test_what_cannot_come_in_blocks(self):
        self.answer("simulate", "cartpole", "--episodes", "50", "-o", "d.npz")
        for command in ("inspect", "d.npz"), ("evaluate", "d.npz"), ("convert", "d.npz", "d.csv"):
            self.refused(1, *command, "--memory", "1kB", says=["d.npz", "need about", "1.0 kB may be used"])
        self.write_table("d.csv", steps(random_episodes(10)))
        self.refused(1, "inspect", "d.csv", "--sort", "--memory", "1kB", says=["d.csv", "need about", "--sql \"from 'd.csv'\""])


class Content(CliTest):
    def test_names_that_say_something_else(self):
        self.write_table("d.csv", steps(random_episodes(100)))
        expected = self.answer("evaluate", "d.csv", "--json").json()["estimates"]
        self.answer("convert", "d.csv", "d.npz")
        os.rename(self.folder / "d.npz", self.folder / "archive.csv")
        os.rename(self.folder / "d.csv", self.folder / "logs.txt")
        self.write("logs.data", (self.folder / "logs.txt").read_text().replace(",", "\t"))
        for name in "archive.csv", "logs.txt", "logs.data":
            self.assertEqual(self.answer("evaluate", name, "--json").json()["estimates"], expected, name)
        self.write("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00")
        self.refused(1, "evaluate", "picture.png", says=["picture.png"])


class IcuSepsisPackage(CliTest):
    def test_tables_of_the_package(self):
        """As pip installs it, as pip downloads it, and named."""
        assets = self.folder / "env" / "lib" / "python3.11" / "site-packages" / "icu_sepsis" / "envs" / "assets"
        assets.mkdir(parents=True)
        made_up_sepsis.write(assets / "dynamics.npz", 716)
        truth = made_up_sepsis.value(made_up_sepsis.EXPERT)

        def check(**env):
            result = self.answer("simulate", "icu-sepsis-v2", "--episodes", "5", "-o", "log.csv", **env)
            self.assertIn(f"true value {truth:.4f}", result.err)

        check(VIRTUAL_ENV=str(self.folder / "env"))
        check(STAROPE_ICU_SEPSIS=str(assets / "dynamics.npz"))
        with zipfile.ZipFile(self.folder / "icu_sepsis-2.0.1-py3-none-any.whl", "w") as wheel:
            wheel.write(assets / "dynamics.npz", "icu_sepsis/envs/assets/dynamics.npz")
        nowhere = {"VIRTUAL_ENV": "/nowhere", "HOME": "/nowhere", "PYTHONPATH": ""}
        check(**nowhere)
        self.write("s.toml", "[[domain]]\ndomain = \"icu-sepsis-v2\"\nsizes = [20]\ntrials = 1\nestimators = \"naive\"\n")
        summary = self.answer("study", "s.toml", "-o", "r", "--json", **nowhere).json()
        self.assertAlmostEqual(summary["groups"][0]["truth"] if "groups" in summary else truth, truth, places=9)

    def test_without_them(self):
        self.refused(2, "simulate", "icu-sepsis", says=["pip download --no-deps icu-sepsis", "--dynamics FILE"])


class Accidents(CliTest):
    """A full disk, a pipe that closes, a process that is killed, a file that changes: a clear error or the right answer."""

    def test_a_full_disk(self):
        self.write_table("d.csv", steps(random_episodes(3000)))
        self.answer("evaluate", "d.csv", "--estimators", "naive", "--emit", "part.star")
        limit = 4 * 512  # bytes that a file may have

        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        before = sorted(os.listdir(self.folder))
        for arguments in (("evaluate", "d.csv", "--estimators", "naive", "--emit", "full.star"),
                          ("merge", "part.star", "-o", "full.star"),
                          ("convert", "d.csv", "full.npz"),
                          ("convert", "d.csv", "full.csv"),
                          ("evaluate", "d.csv", "--estimators", "wpdis", "--memory", "1kB")):  # blocks go to a file
            done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment(TMPDIR=str(self.folder)),
                                  capture_output=True, text=True, preexec_fn=limited, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1, (arguments, done))
            self.assertIn("too large", done.stderr.lower().replace("file too large", "too large"), done)
            self.assertEqual(done.stdout, "")
            self.assertEqual(sorted(os.listdir(self.folder)), before, arguments)
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "evaluate", "d.csv", "--json"], cwd=self.folder, env=environment(), stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written", done.stderr)

    def test_a_pipe_that_closes(self):
        self.write_table("d.csv", steps(random_episodes(3000)))
        for arguments in ("simulate", "cartpole", "--episodes", "3000"), ("evaluate", "d.csv", "--json"):
            process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=environment(), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            process.stdout.close()
            said = process.stderr.read()
            process.stderr.close()
            self.assertNotEqual(process.wait(timeout=PATIENCE), 0, said)
            self.assertNotIn("internal error", said)

    def test_a_pipe_that_ends_early(self):
        """The writer dies in the middle of a row."""
        text = (self.folder / self.write_table("d.csv", steps(random_episodes(200)))).read_text()
        cut = text[:text.rindex(",", 0, len(text) // 2)]
        result = self.run_cli("evaluate", "-", "--estimators", "naive", stdin=cut)
        self.assertEqual(result.code, 1, result)
        self.assertIn("fields", result.err)

    def test_killed(self):
        self.write_table("d.csv", steps(random_episodes(30000)))
        before = sorted(os.listdir(self.folder))
        for delay in (0.01, 0.05, 0.1, 0.2):
            process = subprocess.Popen([PROGRAM, "evaluate", "d.csv", "--estimators", "wpdis,star(phi=one)", "--memory", "1kB",
                                        "--emit", "whole.star"] if delay < 0.1 else [PROGRAM, "convert", "d.csv", "out.npz"],
                                       cwd=self.folder, env=environment(TMPDIR=str(self.folder)), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait(timeout=PATIENCE)
            left = sorted(set(os.listdir(self.folder)) - set(before))
            for name in left:  # nothing, or a whole file
                self.assertIn(name, ("whole.star", "out.npz"))
                self.answer("evaluate", name) if name.endswith(".star") else self.answer("inspect", name)
                os.remove(self.folder / name)

    def test_a_file_that_changes_while_it_is_read(self):
        """The right answer of one of its states, or an error: never something in between, never a crash."""
        text = (self.folder / self.write_table("d.csv", steps(random_episodes(60000)))).read_bytes()
        whole = self.answer("evaluate", "d.csv", "--estimators", "naive", "--json").json()["estimates"][0]["value"]
        for attempt in range(6):
            (self.folder / "d.csv").write_bytes(text)
            flags = ["--memory", "1MB"] if attempt % 2 else []
            process = subprocess.Popen([PROGRAM, "evaluate", "d.csv", "--estimators", "naive", "--json", *flags], cwd=self.folder,
                                       env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(0.005 * attempt)
            # At the end of a row: what was cut before it was opened is a shorter log, and anything else is a change.
            os.truncate(self.folder / "d.csv", text.rindex(b"\n", 0, len(text) // 3) + 1)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertIn(process.returncode, (0, 1), err)
            if process.returncode == 1:
                self.assertIn("changed or cut while it was read", err)
            self.assertNotIn("internal error", err)
            if process.returncode == 0 and not flags:
                self.assertIn(json.loads(out)["data"]["file"], "d.csv")
                self.assertAlmostEqual(json.loads(out)["estimates"][0]["value"], whole, delta=abs(whole) * 0.05)

    def test_bombs(self):
        """A few kilobytes that say they are a terabyte."""
        with zipfile.ZipFile(self.folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            header = "{'descr': '<f8', 'fortran_order': False, 'shape': (30000000, 4), }"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
            for name in "episode", "reward", "behavior_prob", "target_prob":
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    file.write(head + b"\0" * 1000)
        result = self.run_cli("evaluate", "bomb.npz")
        self.assertEqual(result.code, 1, result)
        self.assertIn("bomb.npz", result.err)
        # The address sanitizer needs memory of its own.
        self.assertLess(self.peak_memory("evaluate", "bomb.npz"), 200e6 if "STAROPE_SANITIZER" not in os.environ else 500e6)
        with zipfile.ZipFile(self.folder / "packed.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            header = header.replace("(30000000, 4)", "(25000000,)   ")
            head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
            for name in "episode", "reward":
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    file.write(head)
                    for _ in range(20):
                        file.write(b"\0" * 10_000_000)
        # It unpacks to 400 MB, honestly: a thousand times its size.
        self.refused(1, "inspect", "packed.npz", "--memory", "100MB", says=["packed.npz", "would unpack to more than"])

    def peak_memory(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.run_cli(*arguments)
        return max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024


if __name__ == "__main__":
    main()
