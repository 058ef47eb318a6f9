"""What once broke the program: endless loops, inputs written over, closed descriptors, slips that aborted, one estimator's
failure that took the others' answers, edited results. Each kind with its cousins."""

import json
import os
import signal
import subprocess
import time

from support import PATIENCE, PROGRAM, CliTest, environment, main, random_episodes, small_table, steps

STUDY = """
trials = 2
sizes = [5]
estimators = ["naive", "pdis"]
[[domain]]
domain = "model-win"
"""


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class HugeNumbers(CliTest):
    def estimates(self, name, estimators):
        result = self.run_cli("evaluate", name, "--json", "--estimators", estimators)
        self.assertNotIn("internal error", result.err)
        return {e["estimator"]: e for e in result.json()["estimates"]}

    def test_rewards_that_add_up_to_no_number_end(self):
        rows = steps([[(0, 1e308, 0.5, 0.5), (0, 1e308, 0.5, 0.5)]] * 3, lambda i, t: t)
        self.write_table("h.csv", rows)
        answers = self.estimates("h.csv", "naive,is,pdis,wis,wpdis,star(phi=identity),auto(seeds=2)")
        for name in ("naive", "is", "pdis", "wis", "wpdis", "star(phi=identity)"):
            self.assertEqual(answers[name].get("error", {}).get("code"), "degenerate_model", answers[name])
            self.assertIn("ivide all rewards by a constant", answers[name]["error"]["message"])
            self.assertNotIn("Use w", answers[name]["error"]["message"])  # they cannot do better

    def test_tiny_behavior_probabilities_are_the_trouble_of_those_they_trouble(self):
        for tiny in ("1e-300", "1e-290", "1e-150"):
            rows = steps(random_episodes(30, seed=5), lambda i, t: (i + t) % 3)
            for row in rows:
                row.update(target_probs_0=0.3, target_probs_1=0.7)
            rows[7]["behavior_prob"] = tiny
            self.write_table("t.csv", rows)
            listed = "naive,wis,wpdis,star(phi=identity),star(phi=identity,clip=none),dr(q=fqe(features=tabular)),is"
            answers = self.estimates("t.csv", listed)
            self.assertEqual(len(answers), 7)
            self.assertIn("value", answers["naive"])
            for each in answers.values():
                self.assertNotEqual(each.get("error", {}).get("code"), "internal_error", each)

    def test_levels_up_to_the_last_that_has_a_quantile(self):
        self.write_table("s.csv", small_table())
        self.refused(2, "evaluate", "s.csv", "--level", "0.9999999999999999", says=["--level", "0.999999999999"])
        for level in ("0.999999999999", "1e-300", "0.5"):
            self.answer("evaluate", "s.csv", "--estimators", "naive,star(phi=one)", "--level", level)


class AbsurdWork(CliTest):
    def setUp(self):
        super().setUp()
        self.write_table("s.csv", small_table())

    def test_options_beyond_use_are_refused_at_once(self):
        for estimator, bound in (("auto(seeds=100000)", "1,000"), ("auto(seeds=99999999999)", "1,000"),
                                 ("magic(q=fqe(features=linear),replicates=1000000000)", "1,000,000"),
                                 ("star(phi=random,clusters=1000000000)", "10,000,000"),
                                 ("star(clusters=2,iterations=1000000000000)", "1,000,000"),
                                 ("star(phi=one,rollouts=99999999999999)", "1,000,000,000"),
                                 ("fqe(features=rbf,waves=1000000000)", "20,000"),
                                 ("dr(q=fqe(waves=1000000000))", "20,000"),
                                 ("dr(q=fqe,folds=1000000)", "1,000")):
            self.refused(2, "evaluate", "s.csv", "--estimators", estimator, says=[f"is more than {bound}", "far beyond use"])

    def test_far_horizons_settle_or_are_refused_with_their_cost(self):
        near = self.answer("evaluate", "s.csv", "--json", "--estimators", "star(phi=identity,horizon=100000)").json()
        far = self.answer("evaluate", "s.csv", "--json", "--estimators", "star(phi=identity,horizon=1000000000000)").json()
        self.assertEqual(near["estimates"][0]["value"], far["estimates"][0]["value"])
        self.refused(2, "evaluate", "s.csv", "--horizon", "99999999999999999", says=["at most 1,000,000,000,000,000"])
        rows = steps([[(0, 1.0, 0.5, 0.5)] * 4] * 30, lambda i, t: 0)
        for row in rows:
            row["truncated"] = int(row["t"] == 3)
        self.write_table("cut.csv", rows)
        result = self.run_cli("evaluate", "cut.csv", "--json", "--estimators",
                              "naive,star(phi=identity,truncation=censor,horizon=1000000000000000),auto(seeds=1)",
                              "--horizon", "1000000000000000")
        self.assertEqual(result.code, 0, result)
        answers = {e["estimator"].split("(")[0]: e for e in result.json()["estimates"]}
        self.assertIn("value", answers["naive"])
        for name in ("star", "auto"):
            self.assertEqual(answers[name]["error"]["code"], "too_much_work", answers[name])
            self.assertRegex(answers[name]["error"]["message"], "would take about .* Give a smaller horizon")

    def test_bootstraps_that_would_take_days(self):
        self.write_table("r.csv", steps(random_episodes(100), lambda i, t: t))
        many = self.answer("evaluate", "r.csv", "--json", "--estimators", "naive,auto", "--interval",
                           "bootstrap-percentile(replicates=1000000)").json()["estimates"]
        self.assertIn("interval", many[0])  # of sums, a million are nothing
        self.assertEqual(many[1]["error"]["code"], "too_much_work", many[1])
        self.assertRegex(many[1]["error"]["message"], "a bootstrap of 1,000,000 replicates would take about .* Give fewer replicates")

    def test_simulations(self):
        self.refused(2, "simulate", "cartpole", "--horizon", "1000000000000", says=["a horizon of 1,000,000,000,000 steps"])
        self.refused(1, "simulate", "cartpole", "--episodes", "99999999999999", says=["would take about", "fewer episodes"])

    def test_studies(self):
        self.write("s.toml", STUDY)
        self.refused(2, "study", "s.toml", "-o", "r", "--trials", "1000000000000000", says=["data sets", "at most 1e+07"])
        many = "|".join(str(n) for n in range(1, 200))
        self.refused(2, "study", "s.toml", "-o", "r", "--estimators", f"star(clusters={many},clip={many},seed={many})",
                     says=["more than 10,000 estimators"])
        self.assertFalse((self.folder / "r").exists())


class NamesThatTheSystemRefuses(CliTest):
    """A link to itself, and a name that is too long: files that cannot be read, and no defect of the program."""

    def test_everywhere(self):
        os.symlink("loop.csv", self.folder / "loop.csv")
        self.write_table("s.csv", small_table())
        self.write("s.toml", STUDY)
        for name in ("loop.csv", "x" * 5000 + ".csv"):
            for command in (["evaluate", name], ["inspect", name], ["compare", name, "--target-prob", "target_prob"],
                            ["convert", name, "o.csv"], ["convert", "s.csv", name[:-4] + "/o.npz"], ["report", name, "-o", "o.html"],
                            ["merge", name, "-o", "whole"], ["study", "s.toml", "-o", name], ["study", name, "-o", "r"],
                            ["evaluate", "s.csv", "--target", name], ["simulate", "cartpole", "--target", name, "-o", "o.csv"],
                            ["evaluate", "s.csv", "--estimators", f"star(centroids={name})"],
                            ["evaluate", "s.csv", "--estimators", "naive", "--report", name + "/x.html"]):
                result = self.run_cli(*command)
                self.assertIn(result.code, (1, 2), result)
                self.assertNotIn("internal error", result.err)


class InputsAreNotWrittenOver(CliTest):
    def test_evaluate(self):
        self.write_table("s.csv", small_table())
        self.write("c.csv", "c_0\n0\n1\n")
        os.symlink("s.csv", self.folder / "link.csv")
        before = files_of(self.folder)
        for output in ("s.csv", "link.csv", "./s.csv"):
            self.refused(2, "evaluate", "s.csv", "--estimators", "naive", "--report", output, says=["never written over"])
        self.refused(2, "evaluate", "link.csv", "--estimators", "naive", "--report", "s.csv", says=["never written over"])
        self.refused(2, "evaluate", "s.csv", "--estimators", "naive,star(centroids=c.csv)", "--report", "c.csv",
                     says=["c.csv is read by this command"])
        self.assertEqual(files_of(self.folder), before)

    def test_standard_input_may_be_a_file(self):
        self.write_table("s.csv", small_table())
        before = files_of(self.folder)
        for command in (["evaluate", "-", "--estimators", "naive", "--report", "s.csv"], ["convert", "-", "s.csv"]):
            with open(self.folder / "s.csv") as logs:
                done = subprocess.run([PROGRAM, *command], cwd=self.folder, env=environment(), stdin=logs, capture_output=True,
                                      text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("never written over", done.stderr)
        self.assertEqual(files_of(self.folder), before)

    def test_report(self):
        self.write_table("s.csv", small_table())
        self.write("e.json", self.answer("evaluate", "s.csv", "--json", "--estimators", "naive").out)
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "r")
        before = files_of(self.folder), files_of(self.folder / "r")
        self.refused(2, "report", "e.json", "-o", "e.json", says=["never written over"])
        for output in ("r/results.jsonl", "r/study.json"):
            self.refused(2, "report", "r", "-o", output, says=["never written over"])
        self.assertEqual((files_of(self.folder), files_of(self.folder / "r")), before)

    def test_convert(self):
        self.write_table("s.csv", small_table())
        os.symlink("s.csv", self.folder / "link.csv")
        before = files_of(self.folder)
        for output in ("s.csv", "link.csv", "./s.csv"):
            self.refused(2, "convert", "s.csv", output, says=["never written over"])
        self.refused(2, "convert", "link.csv", "s.csv", says=["never written over"])
        self.assertEqual(files_of(self.folder), before)

    def test_simulate(self):
        self.write("p.csv", "a,b\n0.5,0.5\n")
        self.refused(2, "simulate", "cartpole", "--target", "p.csv", "--episodes", "2", "-o", "p.csv",
                     says=["never written over"])
        self.assertEqual((self.folder / "p.csv").read_text(), "a,b\n0.5,0.5\n")


class ClosedDescriptors(CliTest):
    def run_without(self, closed, *arguments):
        """Runs the program with some of the descriptors 0, 1 and 2 closed."""
        words = " ".join(f"'{word}'" for word in map(str, [PROGRAM, *arguments]))
        redirections = " ".join({0: "<&-", 1: ">&-", 2: "2>&-"}[d] for d in closed)
        return subprocess.run(["bash", "-c", f"{words} {redirections}"], cwd=self.folder, env=environment(),
                              capture_output=True, text=True, timeout=PATIENCE)

    def test_nothing_is_written_where_it_does_not_belong(self):
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "whole")
        whole = (self.folder / "whole" / "results.jsonl").read_text().splitlines()
        for number, closed in enumerate([(2,), (0, 2), (0, 1, 2), (1,), (0,)]):
            folder = f"r{number}"
            done = self.run_without(closed, "study", "s.toml", "-o", folder)
            self.assertEqual(done.returncode, 1 if 1 in closed else 0, done)  # the summary could not be shown
            lines = (self.folder / folder / "results.jsonl").read_text().splitlines()
            self.assertEqual([json.loads(line)["kind"] for line in lines], [json.loads(line)["kind"] for line in whole])
            self.answer("study", "s.toml", "-o", folder, "--resume")

    def test_reports_begin_with_their_first_line(self):
        self.write_table("s.csv", small_table())
        done = self.run_without((2,), "evaluate", "s.csv", "--report", "r.html", "--estimators", "naive")
        if done.returncode == 0:  # built with the chart runtime
            self.assertTrue((self.folder / "r.html").read_text().startswith("<!doctype html>"))


class Slips(CliTest):
    def test_toml_that_is_none(self):
        for text in ("[.a]", "[#1]", "[=]", "[[.a]]", "a=[}", "sizes = [20, }", "[", "]", "a=", "\u00fc = 1", "[a", "a = {",
                     "trials = 5.3e19", "trials = 1e300", "trials = nan"):
            self.write("s.toml", text)
            self.refused(1, "study", "s.toml", "-o", "r", says=["s.toml, row 1"])
        self.assertFalse((self.folder / "r").exists())

    def test_whatever_cannot_work_is_found_before_the_first_trial(self):
        self.write_table("logs.csv", small_table())
        self.write("bad.csv", "episode,reward\n0,1\n")
        own = 'trials = 1\nsizes = [{size}]\nestimators = ["{estimator}"]\n[[data]]\nfile = "{file}"\n{more}'
        for change, code, says in (({"more": "truth = nan"}, 1, "truth must be a finite number"),
                                   ({"more": "truth = inf"}, 1, "truth must be a finite number"),
                                   ({"size": 100000}, 2, "a size of 100,000 is more than the 3 episodes"),
                                   ({"file": "bad.csv"}, 1, "bad.csv"),
                                   ({"estimator": "star(centroids=none.csv)"}, 1, "none.csv")):
            self.write("s.toml", own.format(**{"size": 2, "estimator": "naive", "file": "logs.csv", "more": "", **change}))
            self.refused(code, "study", "s.toml", "-o", "r", says=[says])
            self.assertFalse((self.folder / "r").exists(), change)

    def test_study_json_with_a_shard_that_is_none(self):
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "r")
        stored = json.loads((self.folder / "r" / "study.json").read_text())
        for shard in (3, None, "x", "9/4", ["1/2"]):
            self.write("r/study.json", json.dumps({**stored, "shard": shard}))
            self.refused(1, "merge", "r", "-o", "m", says=["r/study.json", "is no shard"])


class StudiesThatFail(CliTest):
    def test_all_results_are_errors(self):
        self.write("s.toml", STUDY.replace('"naive", "pdis"', '"star(phi=grid)"'))
        result = self.run_cli("study", "s.toml", "-o", "r")
        self.assertEqual(result.code, 1, result)
        self.assertIn("all 2 results are errors", result.err)
        self.write("t.toml", STUDY.replace('"pdis"', '"star(phi=grid)"'))
        self.answer("study", "t.toml", "-o", "t")

    def test_no_results_are_no_report(self):
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "r")
        header = (self.folder / "r" / "results.jsonl").read_text().splitlines()[0]
        for text in ("", header + "\n"):
            self.write("r.jsonl", text)
            self.refused(1, "report", "r.jsonl", "-o", "r.html", says=["r.jsonl", "has no results yet"])
            self.assertFalse((self.folder / "r.html").exists())

    def test_changed_results_are_refused(self):
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "r")
        path = self.folder / "r" / "results.jsonl"
        whole = path.read_text()
        lines = whole.splitlines()
        results = [i for i, line in enumerate(lines) if '"kind":"result"' in line]
        truth = next(i for i, line in enumerate(lines) if '"kind":"truth"' in line)

        def changed(at, **values):
            line = json.loads(lines[at])
            line.update(values)
            return [*lines[:at], json.dumps(line, separators=(",", ":")), *lines[at + 1:]]

        without = json.loads(lines[results[0]])
        del without["check"]
        for text in (changed(results[0], value=1.0), changed(truth, value=7.0), changed(results[-1], trial=5),
                     changed(results[0], estimator="wis"), changed(results[1], size=6), changed(0, study="other"),
                     [*lines[:results[0]], json.dumps(without), *lines[results[0] + 1:]]):
            path.write_text("\n".join(text) + "\n")
            self.refused(1, "study", "s.toml", "-o", "r", "--resume", says=["results.jsonl"])
            self.refused(1, "report", "r", "-o", "r.html", says=["results.jsonl"])
        # How long something took is nobody's answer.
        path.write_text("\n".join(changed(results[0], seconds=9.0)) + "\n")
        self.answer("study", "s.toml", "-o", "r", "--resume")

    def test_results_of_before_the_checks_are_continued(self):
        self.write("s.toml", STUDY)
        self.answer("study", "s.toml", "-o", "r")
        path = self.folder / "r" / "results.jsonl"
        old = []
        for line in path.read_text().splitlines()[:-2]:  # the last cell is missing
            parsed = json.loads(line)
            del parsed["check"]
            old.append(json.dumps(parsed, separators=(",", ":")))
        path.write_text("\n".join(old) + "\n")
        self.answer("study", "s.toml", "-o", "r", "--resume")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertEqual([("check" in line) for line in lines], [False] * (len(lines) - 2) + [True] * 2)


class Terminal(CliTest):
    def test_control_characters_of_files_are_written_out(self):
        rows = [{**row, "x\x1b]0;owned\x07\x1b[2J": 1.5} for row in small_table()]
        self.write_table("a\x1b[31mb.csv", rows)
        for command in (["inspect"], ["evaluate", "--estimators", "naive"]):
            code, shown = self.on_terminal(command[0], "a\x1b[31mb.csv", *command[1:])
            self.assertEqual(code, 0, shown)
            self.assertNotIn("\x1b]", shown)
            self.assertNotIn("\x07", shown)
            self.assertNotIn("\x1b[2J", shown)
        result = self.run_cli("evaluate", "no\x1b[2J.csv")
        self.assertIn("no\\x1b[2J.csv", result.err)
        self.assertNotIn("\x1b", result.err)


class Resources(CliTest):
    def test_many_columns(self):
        columns = 300_000  # takes minutes where every column looks at all others, and the program is stopped then
        header = "episode,reward,behavior_prob,target_prob," + ",".join(f"state_{i}" for i in range(columns))
        row = ",".join(["1"] * columns)
        self.write("wide.csv", header + "\n" + "".join(f"{i},1,0.5,0.5,{row}\n" for i in range(2)))
        self.answer("evaluate", "wide.csv", "--estimators", "naive")

    def test_what_never_ends_is_refused(self):
        for command in "inspect", "evaluate":
            self.refused(1, command, "/dev/zero", says=["zero byte"])  # read in parts: the first one is no text
        os.symlink("/dev/zero", self.folder / "s.toml")
        self.refused(1, "study", "s.toml", "-o", "r", says=["never ends"])

    def test_a_signal_leaves_nothing_behind(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = subprocess.Popen([PROGRAM, "simulate", "cartpole", "--episodes", "3000000", "-o", "x.csv"],
                                       cwd=self.folder, env=environment(), stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=PATIENCE), -number)
            self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    main()
