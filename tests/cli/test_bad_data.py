"""Data and files that cannot be used: exit code 1, and a message with file, row, column, value, rule and remedy."""

import subprocess

from support import PROGRAM, CliTest, environment, main, small_table

HEADER = "episode,t,state,action,reward,behavior_prob,target_prob\n"
GOOD = "0,0,1,0,1,0.5,0.5\n0,1,2,1,1,0.5,0.5\n"  # rows 2 and 3
ENDS = "episode,reward,behavior_prob,target_prob,terminated\n"
FULL = "episode,action,reward,behavior_prob,target_prob,behavior_probs_0,behavior_probs_1\n"

# name: (content, what the message must name beside the file)
CASES = {
    "empty file": ("", ["is empty", "header"]),
    "header only": (HEADER, ["no rows"]),
    "binary file": (b"\x7fELF\x00\x01\x02\xff" * 40, ["UTF-8"]),
    "column twice": ("episode,reward,reward,behavior_prob,target_prob\n0,1,1,1,1\n", ["row 1", "'reward'", "twice"]),
    "no reward": ("episode,behavior_prob,target_prob\n0,0.5,0.5\n", ["'reward'", "--reward"]),
    "no episode": ("reward,behavior_prob,target_prob\n1,0.5,0.5\n", ["'episode'", "--episode"]),
    "no behavior probability": ("episode,reward,target_prob\n0,1,0.5\n", ["'behavior_prob'", "--behavior-prob"]),
    "no target probability": ("episode,reward,behavior_prob\n0,1,0.5\n", ["'target_prob'", "--target-prob"]),
    "not a number": (HEADER + GOOD + "1,0,1,0,abc,0.5,0.5\n", ["row 4", "'reward'", "'abc'", "not a number", "0.25"]),
    "reward NaN": (HEADER + GOOD + "1,0,1,0,nan,0.5,0.5\n", ["row 4", "'reward'", "'nan'", "finite"]),
    "reward infinite": (HEADER + GOOD + "1,0,1,0,inf,0.5,0.5\n", ["row 4", "'reward'", "'inf'", "finite"]),
    "reward beyond double": (HEADER + GOOD + "1,0,1,0,1e400,0.5,0.5\n", ["row 4", "'reward'", "finite", "beyond 1.8e308"]),
    "state beyond 64 bits": (HEADER + GOOD + "1,0,9223372036854775808,0,1,0.5,0.5\n",
                             ["row 4", "'state'", "'9223372036854775808'", "2^63"]),
    "ratio beyond double": (HEADER + GOOD + "1,0,1,0,1,1e-310,0.5\n",
                            ["row 4", "'behavior_prob'", "'1e-310'", "0.5", "ratio"]),
    "missing value": (HEADER + "0,0,1,0,,0.5,0.5\n0,1,1,0,1,0.5,0.5\n", ["row 2", "'reward'", "empty", "Fill it in"]),
    "missing id": (HEADER + ",0,1,0,1,0.5,0.5\n", ["row 2", "'episode'", "empty"]),
    "behavior probability 0": (HEADER + GOOD + "1,0,1,0,1,0,0.5\n", ["row 4", "'behavior_prob'", "'0'", "Log the"]),
    "behavior probability above 1": (HEADER + GOOD + "1,0,1,0,1,1.5,0.5\n",
                                      ["row 4", "'behavior_prob'", "'1.5'", "(0, 1]", "behavior_logp"]),
    "behavior probability negative": (HEADER + GOOD + "1,0,1,0,1,-0.5,0.5\n", ["row 4", "'behavior_prob'", "'-0.5'"]),
    "target probability above 1": (HEADER + GOOD + "1,0,1,0,1,0.5,1.5\n", ["row 4", "'target_prob'", "'1.5'", "[0, 1]"]),
    "log-probability above 0": ("episode,reward,behavior_logp,target_logp\n0,1,0.5,-1\n",
                                ["row 2", "'behavior_logp'", "'0.5'", "behavior_prob"]),
    "probability and logarithm": ("episode,reward,behavior_prob,behavior_logp,target_prob\n0,1,0.5,-1,0.5\n",
                                  ["'behavior_logp'", "--behavior-prob"]),
    "row too short": (HEADER + GOOD + "1,0,1,0,1,0.5\n", ["row 4", "6 fields", "7"]),
    "row too long": (HEADER + GOOD + "1,0,1,0,1,0.5,0.5,9\n", ["row 4", "8 fields", "7"]),
    "quote not closed": (HEADER + GOOD + '1,0,1,0,"1,0.5,0.5\n', ["row 4", "quote"]),
    "episode in two places": (HEADER + GOOD + "1,0,1,0,1,0.5,0.5\n0,2,1,0,1,0.5,0.5\n",
                              ["row 5", "'episode'", "'0'", "contiguous", "--sort"]),
    "time goes back": (HEADER + "0,1,1,0,1,0.5,0.5\n0,0,2,1,1,0.5,0.5\n", ["row 3", "'t'", "'0'", "increase", "--sort"]),
    "time stands still": (HEADER + "0,1,1,0,1,0.5,0.5\n0,1,2,1,1,0.5,0.5\n", ["row 3", "'t'", "'1'", "increase"]),
    "negative action": (HEADER + GOOD + "1,0,1,-1,1,0.5,0.5\n", ["row 4", "'action'", "'-1'"]),
    "action not an integer": (HEADER + GOOD + "1,0,1,0.5,1,0.5,0.5\n", ["row 4", "'action'", "'0.5'", "--action-kind"]),
    "state not an integer": (HEADER + GOOD + "1,0,1.5,0,1,0.5,0.5\n", ["row 4", "'state'", "'1.5'", "--state-kind"]),
    "flag": (ENDS + "0,1,0.5,0.5,2\n", ["row 2", "'terminated'", "'2'", "0 nor 1"]),
    "row after the end": (ENDS + "0,1,0.5,0.5,1\n0,1,0.5,0.5,0\n", ["row 3", "terminated"]),
    "distribution": (FULL + "0,0,1,0.5,0.5,0.5,0.6\n", ["row 2", "behavior_probs_0..1", "'1.1'", "must be 1"]),
    "contradiction": (FULL + "0,0,1,0.5,0.5,0.4,0.6\n", ["row 2", "'0.5'", "contradicts", "0.4"]),
    "gap in numbered columns": (FULL.replace("probs_1", "probs_2") + "0,0,1,0.5,0.5,0.4,0.6\n", ["'behavior_probs_1'"]),
    "action without probability": (FULL + "0,2,1,0.5,0.5,0.5,0.5\n", ["row 2", "'action'", "'2'"]),
}


class BadData(CliTest):
    def test_every_rule(self):
        for name, (content, says) in CASES.items():
            with self.subTest(name):
                self.write("bad.csv", content)
                self.refused(1, "evaluate", "bad.csv", "--estimators", "naive", says=["bad.csv", *says])
                self.refused(1, "evaluate", "bad.csv", "--json", says=["bad.csv", *says])

    def test_inspect_refuses_broken_values_but_not_missing_columns(self):
        for name, (content, says) in CASES.items():
            if name.startswith("no ") and "probability" in name:
                continue
            with self.subTest(name):
                self.write("bad.csv", content)
                self.refused(1, "inspect", "bad.csv", says=["bad.csv", *says])

    def test_ratio_out_of_range(self):
        self.write("bad.csv", "episode,reward,behavior_logp,target_logp\na,1,-1,-1\nb,1,-2000,-1\n")
        self.refused(1, "evaluate", "bad.csv", says=["bad.csv, row 3", "'behavior_logp'", "'-2000'", "ratio"])

    def test_named_column_that_is_not_there(self):
        data = self.write_table("d.csv", small_table())
        self.refused(1, "evaluate", data, "--reward", "rewrad", says=["d.csv", "rewrad", "--reward"])
        self.refused(1, "evaluate", data, "--state", "state,age", says=["age"])


class BadFiles(CliTest):
    def test_missing(self):
        for command in ("evaluate", "inspect"):
            self.refused(1, command, "no/such.csv", says=["no/such.csv"])

    def test_directory(self):
        for command in ("evaluate", "inspect"):
            self.refused(1, command, ".", says=["directory"])

    def test_kind_that_cannot_be_read(self):
        self.write("d.xlsx", b"PK\x03\x04")
        self.refused(1, "evaluate", "d.xlsx", says=["d.xlsx", ".xlsx"])

    def test_standard_input(self):
        text = (self.folder / self.write_table("d.csv", small_table())).read_text()
        direct = self.answer("evaluate", "d.csv", "--estimators", "naive,wis", "--json").json()
        piped = self.run_cli("evaluate", "-", "--estimators", "naive,wis", "--json", stdin=text)
        self.assertEqual(piped.code, 0, piped)
        self.assertEqual(piped.json()["estimates"], direct["estimates"])


if __name__ == "__main__":
    main()
