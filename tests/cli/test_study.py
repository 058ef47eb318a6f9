"""Studies: killed at any moment and resumed, in shards and merged, refused when changed, interrupted politely."""

import json
import os
import pathlib
import random
import signal
import subprocess
import time

import made_up_sepsis
from support import PATIENCE, PROGRAM, CliTest, environment, main

SMALL = ["study", "smoke", "--trials", "4", "--estimators", "naive,wpdis,star(clusters=4|16,clip=1|2)"]

OWN = """
seed = 3
trials = 2
sizes = [5, 10]
estimators = ["naive", "pdis"]

[[domain]]
domain = "model-win"

[[data]]
file = "logs.csv"
truth = 1.5
"""


class StudyTest(CliTest):
    def content(self, folder):
        """What a file of results says: its lines without how long they took, in any order."""
        lines = []
        for line in (self.folder / folder / "results.jsonl").read_text().splitlines():
            parsed = json.loads(line)
            parsed.pop("seconds", None)
            lines.append(json.dumps(parsed, sort_keys=True))
        return sorted(lines)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Interrupted(StudyTest):
    SPEC = """
    trials = 80
    sizes = [50, 300]
    truth_episodes = 100
    estimators = ["naive", "wpdis", "star(clusters=8|32,clip=1|2)"]
    [[domain]]
    domain = "cartpole"
    [[domain]]
    domain = "model-fail"
    """
    CELLS, ESTIMATORS = 4 * 80, 6

    def lines(self):
        path = self.folder / "killed" / "results.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def test_killed_twenty_times_and_resumed(self):
        study = ["study", self.write("study.toml", self.SPEC)]
        began = time.monotonic()
        self.answer(*study, "-o", "undisturbed")
        whole = time.monotonic() - began
        draws = random.Random(1)
        among_cells = 0
        for _ in range(20):
            process = self.start(*study, "-o", "killed", "--resume")
            # On average a twentieth of the work: the twenty together meet all of it.
            time.sleep(draws.uniform(0.0, whole / 8))
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            among_cells += 3 < self.lines() < self.CELLS * self.ESTIMATORS
        self.assertGreaterEqual(among_cells, 5)
        before = (self.folder / "killed" / "results.jsonl").read_bytes().split(b"\n")
        self.answer(*study, "-o", "killed", "--resume")
        after = (self.folder / "killed" / "results.jsonl").read_bytes().split(b"\n")
        # Nothing that was finished has been touched: at most the last cell has been cut off.
        kept = len(before) - self.ESTIMATORS - 1
        self.assertEqual(after[:kept], before[:kept])
        self.assertEqual(self.content("killed"), self.content("undisturbed"))
        # One line for each domain, size, trial and estimator, and none twice.
        results = [json.loads(line) for line in after if line]
        results = [r for r in results if r["kind"] == "result"]
        self.assertEqual(len(results), self.CELLS * self.ESTIMATORS)
        self.assertEqual(len({(r["domain"], r["size"], r["trial"], r["estimator"]) for r in results}), len(results))

    def test_a_torn_line_is_cut_off(self):
        self.answer(*SMALL, "-o", "whole")
        self.answer(*SMALL, "-o", "torn")
        path = self.folder / "torn" / "results.jsonl"
        text = path.read_bytes()
        path.write_bytes(text[:len(text) * 2 // 3])
        self.answer(*SMALL, "-o", "torn", "--resume")
        self.assertEqual(self.content("torn"), self.content("whole"))

    def test_ctrl_c_ends_after_the_cells_in_flight(self):
        many = ["study", "smoke", "--trials", "2000", "-o", "r"]
        process = self.start(*many)
        path = self.folder / "r" / "results.jsonl"
        while not path.exists() or path.read_text().count("\n") < 50:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("--resume goes on", err)
        self.assertTrue(path.read_text().endswith("}\n"))


class Parts(StudyTest):
    def test_threads_and_shards_do_not_matter(self):
        self.answer(*SMALL, "-o", "one", "--threads", "1")
        self.answer(*SMALL, "-o", "two", "--threads", "2")
        self.assertEqual(self.content("one"), self.content("two"))
        for i in (1, 2, 3):
            self.answer(*SMALL, "-o", f"part{i}", "--shard", f"{i}/3")
        result = self.answer("merge", "part1", "part2", "part3", "-o", "merged")
        self.assertIn("16 of 16 cells", result.err)
        self.assertEqual(self.content("merged"), self.content("one"))
        # The same summary from the merged study, and nothing left to compute.
        first = self.answer(*SMALL, "-o", "one", "--resume").out
        self.assertEqual(self.answer(*SMALL, "-o", "merged", "--resume").out, first)

    def test_the_example_for_slurm_ends_in_time_and_is_queued_again(self):
        """What Slurm does to it: a task of an array, told to end before its time limit, started again."""
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "starope").symlink_to(pathlib.Path(PROGRAM).resolve())
        (tools / "scontrol").write_text('#!/bin/sh\necho "$@" >> queued\n')
        (tools / "scontrol").chmod(0o755)
        spec = self.write("study.toml", Interrupted.SPEC)
        script = pathlib.Path(__file__).resolve().parents[2] / "examples" / "study_slurm.sh"

        def task(i):
            own = environment(PATH=f"{tools}:{os.environ['PATH']}", STUDY=str(spec), PARTS="2",
                              SLURM_ARRAY_JOB_ID="77", SLURM_ARRAY_TASK_ID=str(i), SLURM_CPUS_PER_TASK="1")
            return subprocess.Popen(["bash", script], cwd=self.folder, env=own, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)

        first, results = task(1), self.folder / "part-1" / "results.jsonl"
        while not results.exists() or results.read_text().count("\n") < 20:
            time.sleep(0.01)
        first.send_signal(signal.SIGTERM)
        _, err = first.communicate(timeout=PATIENCE)
        self.assertEqual(first.returncode, 130, err)
        self.assertEqual((self.folder / "queued").read_text(), "requeue 77_1\n")
        self.assertTrue(results.read_text().endswith("}\n"))
        for i in (1, 2):
            again = task(i)
            _, err = again.communicate(timeout=PATIENCE)
            self.assertEqual(again.returncode, 0, err)
        self.assertEqual((self.folder / "queued").read_text(), "requeue 77_1\n")
        cells = Interrupted.CELLS
        self.assertIn(f"{cells} of {cells} cells", self.answer("merge", "part-1", "part-2", "-o", "merged").err)

    def test_incomplete_merge_says_so_and_can_be_completed(self):
        self.answer(*SMALL, "-o", "part1", "--shard", "1/2")
        result = self.answer("merge", "part1", "-o", "half")
        self.assertIn("8 of 16 cells", result.err)
        self.answer(*SMALL, "-o", "half", "--resume")
        self.answer(*SMALL, "-o", "whole")
        self.assertEqual(self.content("half"), self.content("whole"))

    def test_strangers_are_refused(self):
        self.answer(*SMALL, "-o", "part1", "--shard", "1/2")
        self.answer(*SMALL, "-o", "part2", "--shard", "2/2", "--seed", "5")
        self.refused(2, "merge", "part1", "part2", "-o", "whole", says=["another specification", "seed: 5, now 0"])
        self.assertFalse((self.folder / "whole").exists())
        self.refused(1, "merge", "part1", "nowhere", "-o", "whole", says=["nowhere"])

    def test_a_changed_study_is_refused_with_the_difference(self):
        self.answer(*SMALL, "-o", "r")
        self.refused(2, *SMALL, "-o", "r", says=["--resume"])
        self.refused(2, *SMALL, "--trials", "5", "-o", "r", "--resume", says=["more than once"])
        self.refused(2, "study", "smoke", "--trials", "5", "--estimators", "naive", "-o", "r", "--resume",
                     says=["domains[cartpole].trials: 4, now 5", "domains[cartpole].estimators[1]"])
        self.refused(2, *SMALL, "-o", "r", "--resume", "--shard", "1/2", says=["shard 1/1"])


class Own(StudyTest):
    def test_toml_with_own_logs(self):
        logs = ["episode,action,reward,behavior_prob,target_prob"]
        logs += [f"{i},0,{i % 4},0.5,{0.25 + 0.5 * (i % 2)}" for i in range(40)]
        self.write("logs.csv", "\n".join(logs) + "\n")
        self.write("own.toml", OWN)
        summary = self.answer("study", "own.toml", "-o", "r", "--json").json()
        self.assertEqual(summary["schema"], "starope.study-summary/1")
        cases = {(c["domain"], c["size"]): c for c in summary["cases"]}
        self.assertEqual(set(cases), {("model-win", 5), ("model-win", 10), ("logs", 5), ("logs", 10)})
        self.assertAlmostEqual(cases["model-win", 5]["truth"]["value"], 0.92)
        self.assertEqual(cases["logs", 5]["truth"]["value"], 1.5)
        for case in summary["cases"]:
            for each in case["estimators"]:
                self.assertAlmostEqual(each["mse"], each["bias_squared"] + each["variance"], places=9)
        # Other logs under the same name are another study.
        self.write("logs.csv", "\n".join(logs[:-1]) + "\n")
        self.refused(2, "study", "own.toml", "-o", "r", "--resume", says=["checksum"])

    def test_mistakes(self):
        self.refused(2, "study", "smok", "-o", "r", says=["did you mean 'smoke'"])
        self.refused(2, "study", "paper-icu-sepsis", "-o", "r", says=["--dynamics", "github.com/shreyasc-13/STAR"])
        self.refused(2, "study", "smoke", "-o", "r", "--with", "neural", says=["paper-cartpole", "mb(model=mlp)"])
        self.refused(2, "study", "paper", "-o", "r", "--with", "neural", "--estimators", "naive", says=["--estimators"])
        self.refused(2, "study", "smoke", "-o", "r", "--shard", "3/2", says=["no shard 3 of 2"])
        self.refused(2, "study", "smoke", "-o", "r", "--estimators", "naiv", says=["did you mean 'naive'"])
        self.refused(1, "study", "missing.toml", "-o", "r", says=["missing.toml"])
        self.write("bad.toml", "sizes = [5]\ntrails = 3\n")
        self.refused(1, "study", "bad.toml", "-o", "r", says=["row 2", "did you mean 'trials'"])
        self.assertFalse((self.folder / "r").exists())

    def test_tables_of_q_values_from_files(self):
        self.write("q.csv", "state,q_0,q_1\n0,0,0\n1,1,1\n2,-1,-1\n")
        self.write("q.toml", 'sizes = [20]\ntrials = 2\nestimators = "dr(q=q.csv),naive"\n'
                             '[[domain]]\ndomain = "model-win"\n')
        results = [json.loads(line) for line in self.read_study("q.toml")]
        values = [r["value"] for r in results if r.get("estimator") == "dr(q=q.csv)"]
        self.assertEqual(len(values), 2)

    def read_study(self, toml):
        self.answer("study", toml, "-o", "r")
        return (self.folder / "r" / "results.jsonl").read_text().splitlines()

    def test_failures_are_counted(self):
        result = self.answer("study", "smoke", "--trials", "2", "--estimators", "naive,star(phi=grid,bins=2)", "-o", "r")
        self.assertIn("2 of 2 failed", result.out)  # model-fail has ids, not numbers
        self.assertIn("are errors", result.out)

    def test_sepsis_from_its_tables(self):
        made_up_sepsis.write(self.folder / "made_up.npz", 747)
        spec = "[[domain]]\ndomain = \"icu-sepsis\"\nsizes = [20]\ntrials = 2\nestimators = \"naive,wis\"\n"
        self.write("sepsis.toml", spec)
        summary = self.answer("study", "sepsis.toml", "-o", "r", "--dynamics", "made_up.npz", "--json").json()
        truth = summary["cases"][0]["truth"]["value"]
        self.assertAlmostEqual(truth, made_up_sepsis.value(made_up_sepsis.EXPERT), places=9)

    def test_progress_on_a_terminal(self):
        code, shown = self.on_terminal(*SMALL, "-o", "r")
        self.assertEqual(code, 0)
        self.assertIn("true value of cartpole", shown)
        self.assertRegex(shown, r"\[#*\.*\] \d+ of 16 cells")


if __name__ == "__main__":
    main()
