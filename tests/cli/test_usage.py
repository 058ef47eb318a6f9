"""Command lines that cannot be meant: exit code 2, a sentence on stderr that helps, nothing on stdout."""

import re
import shlex
import subprocess

from support import PATIENCE, PROGRAM, CliTest, environment, main, small_table

COMMANDS = ["evaluate", "inspect", "simulate", "study", "report", "merge"]


class UnknownWords(CliTest):
    def test_command(self):
        self.refused(2, "evalute", "x.csv", says=["unknown command 'evalute'", "did you mean 'evaluate'?"])
        self.refused(2, "frobnicate", says=["unknown command 'frobnicate'", "evaluate, compare, inspect, simulate, convert, study, report, merge"])

    def test_no_command(self):
        self.refused(2, says=["a command is missing", "evaluate, compare, inspect, simulate, convert, study, report, merge"])
        self.refused(2, "", says=["unknown command ''"])

    def test_flag(self):
        for arguments in (["--gama", "0.9", "x.csv"], ["x.csv", "--gama", "0.9"], ["x.csv", "--gama=0.9"], ["--gama"]):
            self.refused(2, "evaluate", *arguments,
                         says=["starope evaluate has no option '--gama'", "did you mean '--gamma'?",
                               "starope evaluate --help"])
        self.refused(2, "inspect", "x.csv", "--jsn", says=["did you mean '--json'?"])
        self.refused(2, "simulate", "cartpole", "--episode", "3", says=["did you mean '--episodes'?"])
        self.refused(2, "--versoin", says=["did you mean '--version'?"])
        self.refused(2, "evaluate", "x.csv", "-q", says=["has no option '-q'"])

    def test_estimator(self):
        # Before the data are read: the file does not even exist.
        self.refused(2, "evaluate", "x.csv", "--estimators", "wpids", says=["wpids", "did you mean 'wpdis'?"])
        self.refused(2, "evaluate", "x.csv", "--estimators", "naive", "--estimators", "stra(clusters=2)",
                     says=["did you mean 'star'?"])
        self.refused(2, "evaluate", "x.csv", "--estimators", "star(cluster=2)",
                     says=["star(cluster=2)", "'cluster'", "did you mean 'clusters'?"])
        self.refused(2, "evaluate", "x.csv", "--estimators", "star(clusters=2,clip=0)", says=["clip", "at least 1"])
        self.refused(2, "evaluate", "x.csv", "--estimators", "naive,,is", says=["empty"])
        self.refused(2, "evaluate", "x.csv", "--estimators", "", says=["empty"])

    def test_interval(self):
        self.refused(2, "evaluate", "x.csv", "--interval", "influense", says=["did you mean 'influence'?"])

    def test_kinds(self):
        self.refused(2, "evaluate", "x.csv", "--state-kind", "discret", says=["did you mean 'discrete'?"])

    def test_domain_and_policy(self):
        self.refused(2, "simulate", "cartpol", says=["did you mean 'cartpole'?"])
        self.refused(2, "simulate", "cartpole", "--target", "folow", says=["--target", "did you mean 'follow'?"])
        self.refused(2, "simulate", "cartpole", "--behavior", "unifrom", says=["--behavior", "did you mean 'uniform'?"])


class WrongValues(CliTest):
    def refuse_values(self, command, flag, values, rule):
        for value in values:
            with self.subTest(flag=flag, value=value):
                self.refused(2, *command, flag, value, says=[flag, value, rule, f"starope {command[0]} --help"])

    def test_numbers(self):
        evaluate = ["evaluate", "x.csv"]
        self.refuse_values(evaluate, "--gamma", ["1.5", "-0.1", "nan", "abc", "0.9x"], "from 0 to 1")
        self.refuse_values(evaluate, "--horizon", ["0", "-5", "2.5", "many"], "at least 1")
        self.refuse_values(evaluate, "--level", ["0", "1", "95", "-0.5"], "between 0 and 1")
        self.refuse_values(evaluate, "--threads", ["0", "-1", "two"], "at least 1")
        self.refuse_values(evaluate, "--seed", ["-1", "1.5", "x"], "whole number")
        simulate = ["simulate", "cartpole"]
        self.refuse_values(simulate, "--episodes", ["0", "-2", "1e3"], "at least 1")
        self.refuse_values(simulate, "--horizon", ["0"], "at least 1")
        self.refuse_values(["inspect", "x.csv"], "--gamma", ["2"], "from 0 to 1")

    def test_values_that_are_missing_or_twice(self):
        self.refused(2, "evaluate", "x.csv", "--gamma", says=["--gamma"])
        self.refused(2, "evaluate", "x.csv", "--gamma", "1", "--gamma", "0.5", says=["--gamma"])
        self.refused(2, "evaluate", says=["DATA"])
        self.refused(2, "inspect", says=["DATA"])
        self.refused(2, "simulate", says=["DOMAIN", "--list"])
        self.refused(2, "evaluate", "a.csv", "b.csv", says=["'b.csv'", "too many"])
        self.refused(2, "evaluate", "x.csv", "--state", "a,,b", says=["--state", "a name is missing"])


class Help(CliTest):
    def test_version(self):
        self.assertRegex(self.answer("--version").out, r"^starope \d+\.\d+\.\d+\n$")

    def test_front_page(self):
        page = self.answer("--help").out
        for command in COMMANDS:
            self.assertRegex(page, rf"(?m)^  {command} ")

    def test_pages_fit_eighty_columns_and_explain_every_flag(self):
        for command in COMMANDS:
            page = self.answer(command, "--help")
            self.assertEqual(page.err, "")
            for line in page.out.splitlines():
                self.assertLessEqual(len(line), 80, line)
            self.assertIn(f"Usage: starope {command}", page.out)

    def test_examples_run(self):
        for command in [[], *([c] for c in COMMANDS)]:
            page = self.answer(*command, "--help").out
            self.assertIn("Example:\n", page)
            example = page.split("Example:\n")[1].split("\n\n")[0]
            lines = [line.strip() for line in example.splitlines()]
            self.assertTrue(lines)
            for line in lines:
                words = shlex.split(line)
                self.assertEqual(words[0], "starope")
                done = subprocess.run([PROGRAM, *words[1:]], cwd=self.folder, env=environment(), capture_output=True,
                                      text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
            if command:
                self.assertTrue(any(re.match(rf"starope {command[0]} ", line) for line in lines))

    def test_help_wins_over_the_rest(self):
        self.assertIn("Usage: starope evaluate", self.answer("evaluate", "missing.csv", "--help").out)


class Separation(CliTest):
    def test_only_the_answer_is_on_stdout(self):
        data = self.write_table("d.csv", small_table())
        result = self.answer("evaluate", data, "--json")
        self.assertEqual(result.json()["schema"], "starope.evaluate/1")
        self.assertIn("without --estimators", result.err)  # what was chosen is said, but not in the answer
        self.assertEqual(self.answer("evaluate", data, "--estimators", "naive").err, "")

    def test_no_color_and_no_progress_outside_a_terminal(self):
        data = self.write_table("d.csv", small_table())
        for arguments in (["evaluate", data], ["inspect", data], ["evaluate", "missing.csv"]):
            result = self.run_cli(*arguments)
            self.assertNotIn("\x1b", result.out + result.err)
            self.assertNotIn("\r", result.out + result.err)

    def test_terminal(self):
        data = self.write_table("d.csv", small_table())
        code, shown = self.on_terminal("evaluate", data)
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mestimator", shown)
        self.assertIn("[2/4] naive", shown)  # progress
        code, shown = self.on_terminal("evaluate", data, NO_COLOR="1")
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b[1m", shown)

    def test_lost_output_is_an_error(self):
        data = self.write_table("d.csv", small_table())
        for arguments in (["evaluate", data], ["evaluate", data, "--json"], ["inspect", data], ["--help"],
                          ["simulate", "cartpole", "--episodes", "2"], ["simulate", "--list"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      text=True, env=environment(), timeout=PATIENCE)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)
            self.assertNotIn("wrote", done.stderr)


if __name__ == "__main__":
    main()
