"""Simulated logs: what is in them, that they are reproducible, and that they appear whole or not at all."""

import csv
import io
import os
import signal
import subprocess
import time

from support import PROGRAM, CliTest, environment, main


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
        self.assertRegex(result.err, r"behaviour policy uniform: true value 21\.\d+ \+- 0\.0\d+")
        self.assertRegex(result.err, r"target policy follow: true value 39\.\d+ \+- 0\.0\d+")

    def test_file_and_standard_output_are_the_same(self):
        shown = self.answer("simulate", "cartpole", "--episodes", "5").out
        self.assertEqual(shown, self.answer("simulate", "cartpole", "--episodes", "5", "-o", "-").out)
        self.answer("simulate", "cartpole", "--episodes", "5", "-o", "log.csv")
        self.assertEqual((self.folder / "log.csv").read_text(), shown)

    def test_list(self):
        listed = self.answer("simulate", "--list").out
        for word in ("cartpole", "uniform", "follow", "horizon 50"):
            self.assertIn(word, listed)

    def test_every_domain_can_be_evaluated(self):
        listed = self.answer("simulate", "--list").out
        domains = [line.split(":")[0] for line in listed.splitlines() if line and not line.startswith(" ")]
        self.assertIn("cartpole", domains)
        for domain in domains:
            self.answer("simulate", domain, "--episodes", "40", "--horizon", "10", "-o", "log.csv")
            answer = self.answer("evaluate", "log.csv", "--estimators", "naive,wpdis", "--json").json()
            self.assertEqual(answer["data"]["episodes"], 40)
            self.answer("inspect", "log.csv")


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
            process.wait(timeout=60)
            text = (self.folder / "log.csv").read_text()
            self.assertTrue(text == "old" or text.endswith("\n") and text.count("\n") > 200000, len(text))
            if text != "old":
                break  # the machine was fast enough to finish

    def test_a_reader_that_goes_away(self):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.run([PROGRAM, "simulate", "cartpole", "--episodes", "50"], cwd=self.folder,
                                 env=environment(), stdout=write, stderr=subprocess.PIPE, timeout=60)
        os.close(write)
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    main()
