"""Simulated logs: what is in them, that they are reproducible, and that they appear whole or not at all."""

import csv
import io
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import made_up_sepsis
from support import PATIENCE, PROGRAM, CliTest, environment, main


class Logs(CliTest):
    def rows(self, *flags, domain="cartpole"):
        return list(csv.DictReader(io.StringIO(self.answer("simulate", domain, *flags).out)))

    def test_canonical_columns(self):
        rows = self.rows("--episodes", "30")
        self.assertEqual(list(rows[0]), [
            "episode", "t", "state_0", "state_1", "state_2", "state_3", "action", "reward", "behavior_prob", "target_prob",
            "behavior_probs_0", "behavior_probs_1", "target_probs_0", "target_probs_1", "terminated", "truncated"])
        self.assertEqual(len({row["episode"] for row in rows}), 30)
        for row in rows:
            action = row["action"]
            self.assertEqual(row["behavior_prob"], row[f"behavior_probs_{action}"])
            self.assertEqual(row["target_prob"], row[f"target_probs_{action}"])
            self.assertEqual(float(row["reward"]), 1.0)
            self.assertLess(int(row["t"]), 50)

    def test_a_name_that_says_tabs(self):
        self.refused(1, "simulate", "cartpole", "--episodes", "2", "-o", "logs.tsv", says=["call it .csv"])
        self.assertFalse((self.folder / "logs.tsv").exists())

    def test_horizon_truncates(self):
        rows = self.rows("--episodes", "20", "--horizon", "4")
        self.assertEqual(len(rows), 80)  # no pole falls within four steps
        self.assertEqual({(row["t"], row["truncated"], row["terminated"]) for row in rows},
                         {("0", "0", "0"), ("1", "0", "0"), ("2", "0", "0"), ("3", "1", "0")})

    def test_final_states(self):
        rows = self.rows("--episodes", "2", "--horizon", "4", "--final-states")
        self.assertEqual(len(rows), 10)
        self.assertEqual([row["action"] for row in rows if row["t"] == "4"], ["", ""])

    def test_seed_and_threads(self):
        flags = ["simulate", "cartpole", "--episodes", "600", "--horizon", "8"]
        first = self.answer(*flags, "--threads", "1").out
        self.assertEqual(first, self.answer(*flags, "--threads", "2", "--seed", "0").out)
        self.assertNotEqual(first, self.answer(*flags, "--seed", "1").out)

    def test_policies(self):
        rows = self.rows("--episodes", "20", "--behavior", "follow", "--target", "uniform")
        self.assertEqual({row["target_prob"] for row in rows}, {"0.5"})
        self.assertEqual({row["behavior_prob"] for row in rows}, {"0.1", "0.9"})

    def test_truth_is_said_on_stderr(self):
        result = self.answer("simulate", "cartpole", "--episodes", "5", "-o", "log.csv")
        self.assertEqual(result.out, "")
        self.assertIn("wrote log.csv: 5 episodes", result.err)
        self.assertRegex(result.err, r"behavior policy uniform: true value 21\.\d+ \+- 0\.0\d+")
        self.assertRegex(result.err, r"target policy follow: true value 39\.\d+ \+- 0\.0\d+")

    def test_file_and_standard_output_are_the_same(self):
        shown = self.answer("simulate", "cartpole", "--episodes", "5").out
        self.assertEqual(shown, self.answer("simulate", "cartpole", "--episodes", "5", "-o", "-").out)
        self.answer("simulate", "cartpole", "--episodes", "5", "-o", "log.csv")
        self.assertEqual((self.folder / "log.csv").read_text(), shown)

    def test_list(self):
        listed = self.answer("simulate", "--list", COLUMNS="200").out
        for word in ("cartpole", "uniform", "follow", "horizon 50", "39.2967 +- 0.0052", "simulated episodes, seed 2024",
                     "observation", "actions", "true values", "random-mdp(states="):
            self.assertIn(word, listed)

    def domains(self):
        listed = self.answer("simulate", "--list").out
        return [line.split(":")[0] for line in listed.splitlines() if line and not line.startswith(" ")]

    def test_every_domain_can_be_evaluated_and_has_the_same_log_for_any_threads(self):
        domains = self.domains()
        self.assertGreaterEqual(len(domains), 20)
        for domain in domains:
            dynamics = []
            if domain.startswith("icu-sepsis"):
                tables = self.folder / "made_up.npz"
                made_up_sepsis.write(tables, 716 if domain.endswith("v2") else 747)
                dynamics = ["--dynamics", tables]
            with self.subTest(domain):
                # More episodes than one block of the simulator.
                flags = ["simulate", domain, *dynamics, "--episodes", "300", "--horizon", "10"]
                self.answer(*flags, "--threads", "1", "-o", "log.csv")
                self.answer(*flags, "--threads", "2", "-o", "again.csv")
                self.assertEqual((self.folder / "log.csv").read_bytes(), (self.folder / "again.csv").read_bytes())
                answer = self.answer("evaluate", "log.csv", "--estimators", "naive,wpdis,star(phi=one)", "--json").json()
                self.assertEqual(answer["data"]["episodes"], 300)
                self.assertTrue(all("value" in each for each in answer["estimates"]), answer)
                self.answer("inspect", "log.csv")

    def test_states_of_bits(self):
        rows = self.rows("--episodes", "2", domain="asterix")
        self.assertEqual(rows[0]["state_220"], "1")  # the player in the middle
        self.assertEqual({row[f"state_{i}"] for row in rows for i in range(400)}, {"0", "1"})
        self.assertNotIn("state_400", rows[0])

    def test_csv_and_npz_hold_the_same_log(self):
        for domain in ("asterix", "cartpole", "graph"):
            with self.subTest(domain):
                answers = []
                for name in ("log.csv", "log.npz"):
                    self.answer("simulate", domain, "--episodes", "60", "--final-states", "-o", name)
                    answer = self.answer("evaluate", name, "--horizon", "9", "--estimators",
                                         "naive,wpdis,star(clusters=6,clip=2,truncation=censor)", "--json").json()
                    answers.append([(each["value"], each["std_error"]) for each in answer["estimates"]])
                self.assertEqual(answers[0], answers[1])

    def test_random_mdp_with_parameters(self):
        rows = self.rows("--episodes", "50", domain="random-mdp(states=30,actions=7,symbols=5,seed=2)")
        self.assertIn("target_probs_6", rows[0])
        self.assertLessEqual({row["state"] for row in rows}, set("01234"))
        self.refused(2, "simulate", "random-mdp(states=x)", says=["states=x", "whole number"])
        self.refused(2, "simulate", "cartpole(3)", says=["takes no parameters"])

    def test_policies_with_numbers_and_from_tables(self):
        rows = self.rows("--episodes", "20", "--behavior", "greedy(eps=1)", "--target", "greedy(0.5)",
                         domain="gridworld-8x8")
        self.assertEqual({row["behavior_prob"] for row in rows}, {"0.25"})
        self.assertEqual({row["target_prob"] for row in rows}, {"0.125", "0.625"})
        self.write("mine.csv", "left,right\n0.25,0.75\n")
        rows = self.rows("--episodes", "20", "--behavior", "mine.csv", "--target", "greedy(mine.csv,0.5)")
        self.assertEqual({(row["action"], row["behavior_prob"], row["target_prob"]) for row in rows},
                         {("0", "0.25", "0.25"), ("1", "0.75", "0.75")})
        self.refused(2, "simulate", "gridworld-8x8", "--target", "greedy(2)", says=["--target", "from 0 to 1"])
        self.refused(1, "simulate", "asterix", "--target", "mine.csv", says=["mine.csv", "6 actions"])
        self.refused(1, "simulate", "cartpole", "--target", "none.csv", says=["none.csv"])
        self.write("wrong.csv", "0.3,0.3\n")
        self.refused(1, "simulate", "cartpole", "--target", "wrong.csv", says=["wrong.csv", "sum to 0.6"])

    def test_exact_truth(self):
        result = self.answer("simulate", "graph", "--episodes", "5", "-o", "log.csv")
        self.assertIn("target policy first(0.2): true value -4.1430342 (exact; discount 0.98)", result.err)
        self.assertIn("--gamma 0.98", result.err)
        result = self.answer("simulate", "model-fail", "--target", "first(0.5)", "--episodes", "5", "-o", "log.csv")
        self.assertIn("target policy first(0.5): true value 0 (exact", result.err)


class IcuSepsis(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made_up = {name: pathlib.Path(folder.name) / f"{name}.npz" for name in ("v0", "v2")}
        made_up_sepsis.write(cls.made_up["v0"], 747)
        made_up_sepsis.write(cls.made_up["v2"], 716)

    def test_without_tables(self):
        self.refused(2, "simulate", "icu-sepsis", says=["--dynamics", "dynamics.npz", "github.com/icu-sepsis/icu-sepsis"])
        self.refused(2, "simulate", "cartpole", "--frozen-row", says=["icu-sepsis"])
        self.refused(2, "simulate", "icu-sepsis", "--dynamics", "x.npz", "--observation", "all", says=["--observation"])
        self.refused(1, "simulate", "icu-sepsis", "--dynamics", "x.npz", says=["x.npz"])
        self.write("x.npz", b"PK\x03\x04 is no archive")
        self.refused(1, "simulate", "icu-sepsis", "--dynamics", "x.npz", says=["x.npz"])

    def check_truth(self, file, flags, truth):
        result = self.answer("simulate", "icu-sepsis", "--dynamics", file, "--episodes", "20", *flags, "-o", "log.csv")
        said = re.search(r"target policy expert: true value ([0-9.]+) \(exact", result.err)
        self.assertIsNotNone(said, result)
        self.assertAlmostEqual(float(said[1]), truth, delta=1e-7)
        header = (self.folder / "log.csv").read_text().split("\n")[0].split(",")
        self.assertEqual("state_46" in header, "features" in flags)
        self.assertIn("target_probs_24", header)

    def test_versions_observations_and_the_frozen_row(self):
        expert = made_up_sepsis.value(made_up_sepsis.EXPERT)
        frozen = made_up_sepsis.value(made_up_sepsis.EXPERT, frozen=True)
        self.assertGreater(abs(expert - frozen), 0.01)
        for version, flags, truth in (("v0", [], expert), ("v2", [], expert), ("v0", ["--frozen-row"], frozen),
                                      ("v2", ["--observation", "features"], expert)):
            with self.subTest(version=version, flags=flags):
                self.check_truth(self.made_up[version], flags, truth)

    def test_published_tables(self):
        """Where they are at hand: they are not part of the repository."""
        for name, flags, truth in (("v0/sepsis_dynamics.npz", [], 0.77335403), ("v2/dynamics.npz", [], 0.78184476),
                                   ("v0/sepsis_dynamics.npz", ["--frozen-row"], 0.75146623),
                                   ("v2/dynamics.npz", ["--observation", "features"], 0.78184476)):
            file = pathlib.Path(os.environ.get("STAROPE_SHARED_DIR", "/nowhere")) / "data" / "icu_sepsis" / name
            if file.exists():
                with self.subTest(name=name, flags=flags):
                    self.check_truth(file, flags, truth)

    def test_temperature(self):
        for tau in (1, 3):  # tau = 1 is the expert
            result = self.answer("simulate", "icu-sepsis", "--dynamics", self.made_up["v0"], "--episodes", "5",
                                 "--behavior", f"softened(tau={tau})", "-o", "log.csv")
            said = re.search(r"policy softened\(tau=\d\): true value ([0-9.]+)", result.err)
            self.assertAlmostEqual(float(said[1]), made_up_sepsis.value(made_up_sepsis.softened(tau)), delta=1e-7)

    @unittest.skipIf("STAROPE_THREAD_SANITIZER" in os.environ,
                     "the thread sanitizer keeps several bytes for every byte that is touched")
    def test_the_tables_never_stand_in_memory_at_full_size(self):
        """The two large arrays inflate to 112 MB each; what is kept of them takes a few MB."""
        without = self.peak_memory("simulate", "model-win", "--episodes", "5", "-o", "log.csv")
        reading = self.peak_memory("simulate", "icu-sepsis", "--dynamics", self.made_up["v0"], "--episodes", "5",
                                   "-o", "log.csv")
        self.assertLess(reading - without, 40e6)

    def peak_memory(self, *arguments):
        # The address sanitizer keeps freed memory for a while, unless told not to.
        own = {**environment(), "ASAN_OPTIONS": "quarantine_size_mb=1"}
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, env=own,
                                   stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024


class WholeOrNothing(CliTest):
    def test_missing_folder(self):
        self.refused(1, "simulate", "cartpole", "-o", "no/such/log.csv", says=["no/such"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_folder_instead_of_file(self):
        self.refused(1, "simulate", "cartpole", "-o", ".", says=["directory"])

    def test_full_disk(self):
        self.refused(1, "simulate", "cartpole", "--episodes", "5", "-o", "/dev/full", says=["/dev/full"])

    def test_wrong_usage_leaves_the_old_file(self):
        self.write("log.csv", "old")
        self.refused(2, "simulate", "cartpole", "--target", "nobody", "-o", "log.csv")
        self.assertEqual((self.folder / "log.csv").read_text(), "old")

    def test_a_killed_run_leaves_the_old_file(self):
        self.write("log.csv", "old")
        for delay in (0.02, 0.1, 0.3):
            process = subprocess.Popen([PROGRAM, "simulate", "cartpole", "--episodes", "200000", "-o", "log.csv"],
                                       cwd=self.folder, env=environment(), stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=PATIENCE)
            text = (self.folder / "log.csv").read_text()
            self.assertTrue(text == "old" or text.endswith("\n") and text.count("\n") > 200000, len(text))
            if text != "old":
                break  # the machine was fast enough to finish

    def test_a_reader_that_goes_away(self):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.run([PROGRAM, "simulate", "cartpole", "--episodes", "50"], cwd=self.folder,
                                 env=environment(), stdout=write, stderr=subprocess.PIPE, timeout=PATIENCE)
        os.close(write)
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    main()
