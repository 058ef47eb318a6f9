"""Logs in which something is wrong: `evaluate` says so above its answer. The faults are those whose power docs/checks.md measures; here
each is found in one log, by the finding that is meant for it, and the clean log of the same world raises none."""

import csv
import json
import pathlib
import sys

from support import CliTest, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "studies" / "checks"))
import faults  # noqa: E402

# What each fault is found by in a world with real-valued states, a uniform behavior policy and constant rewards, and in one with others.
FOUND_BY = {
    "cartpole": {
        "behavior_prob of another policy": {"behavior_prob_wrong"},
        "behavior_prob x 0.7": {"behavior_prob_wrong"},
        "behavior_prob x 1.1": {"ratio_mean"},
        "target_prob x 0.7": {"ratio_mean"},
        "logarithms in base 10": {"ratio_mean"},
        "behavior and target swapped": {"behavior_prob_wrong"},
        "target_prob of another action, 20 % of the rows": {"inconsistent_probabilities"},
        "target_prob one row late": {"probabilities_shifted", "ratio_mean"},
        "target_prob one row early": {"probabilities_shifted", "ratio_mean"},
        "all episodes twice": {"copied_episodes"},
        "200 episodes ten times": {"copied_episodes"},
        "all rows twice, no t": {"repeated_rows"},
        "5 % of the rows twice, no t": {"repeated_rows"},
        "rows shuffled, no t": {"shuffled_rows"},
        "30 % of the rows missing": {"gaps_in_t"},
        "states one row late": {"states_shifted"},
        "half of the rewards x 1000": {"reward_units"},
        "0.2 % of the rewards -99999": {"reward_outliers"},
        "30 % of the actions not drawn from behavior_probs_*": {"behavior_calibration", "behavior_frequency"},
    },
    "linear-quadratic": {
        "behavior_prob one row late": {"behavior_prob_wrong", "probabilities_shifted"},
        "rewards one row late": {"rewards_late", "row_before_helps"},
        "rewards one row early": {"rewards_fit_next", "rewards_early"},
        "states one row early": {"states_shifted", "behavior_frequency"},
    },
}
EPISODES = 2000
# About the question, not about the logs: a target far from the behavior policy has these without a fault.
ADVICE = {"weights_collapse", "weights_missing", "weight_mean", "unsupported_actions", "uneven_truncation"}


class WrongLogs(CliTest):
    def episodes_of(self, domain):
        self.answer("simulate", domain, "--episodes", EPISODES, "--seed", 11, "-o", "clean.csv")
        episodes = []
        with open(self.folder / "clean.csv", newline="") as file:
            for row in csv.DictReader(file):
                if not episodes or episodes[-1][0]["episode"] != row["episode"]:
                    episodes.append([])
                episodes[-1].append(row)
        return episodes

    def write_episodes(self, name, episodes):
        self.write_table(name, [row for rows in episodes for row in rows])

    def findings_of(self, name):
        """Codes of warnings and critical findings about the logs."""
        said = self.answer("evaluate", name, "--estimators", "naive", "--json").json()["data"]["findings"]
        return {f["code"] for f in said if f["severity"] != "info"} - ADVICE

    def test_each_fault_is_noticed(self):
        for domain, expected in FOUND_BY.items():
            episodes = self.episodes_of(domain)
            self.assertEqual(self.findings_of("clean.csv"), set(), domain)
            for fault, codes in expected.items():
                with self.subTest(domain=domain, fault=fault):
                    self.write_episodes("wrong.csv", faults.inject(fault, episodes, seed=11))
                    self.assertTrue(self.findings_of("wrong.csv") & codes)

    def test_the_probability_of_another_action_contradicts_the_distribution(self):
        # In all rows it is the probability of some action in every state, so no mean tells; the distribution beside it does.
        wrong = faults.wrong_action(1.0)(self.episodes_of("gridworld-8x8"), faults.random.Random(1))
        self.write_episodes("wrong.csv", wrong)
        for command in ("evaluate", "inspect"):
            self.refused(1, command, "wrong.csv", says=["wrong.csv, row 2", "target_prob", "contradicts target_probs_"])

    def test_rows_that_vanish_with_what_was_done_are_noticed_without_t(self):
        wrong = faults.inject("30 % of the rows with action 0 missing, no t", self.episodes_of("cartpole"), seed=11)
        self.write_episodes("wrong.csv", wrong)
        self.assertTrue(self.findings_of("wrong.csv") & {"behavior_prob_wrong", "ratio_mean"})

    def test_parts_that_share_episodes(self):
        self.answer("simulate", "cartpole", "--episodes", 90, "--seed", 3, "-o", "all.csv")
        lines = (self.folder / "all.csv").read_text().splitlines(keepends=True)
        for name, first, last in (("x", 0, 60), ("y", 40, 90)):
            self.write(f"{name}.csv", lines[0] + "".join(row for row in lines[1:] if first <= int(row.split(",")[0]) < last))
        self.answer("evaluate", "x.csv", "--estimators", "naive,wpdis", "--emit", "x.star")
        self.answer("evaluate", "y.csv", "--like", "x.star", "--emit", "y.star")
        merged = self.answer("merge", "x.star", "y.star", "-o", "xy.star")
        self.assertIn("20 of 110 episodes", " ".join(merged.err.split()))
        said = self.answer("evaluate", "xy.star", "--json").json()["data"]["findings"]
        self.assertIn("copied_episodes", [finding["code"] for finding in said])


if __name__ == "__main__":
    main()
