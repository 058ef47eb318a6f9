"""Several policies on the same logs, and answers for groups of episodes."""

import json
import os
import random

from support import CliTest, main, random_episodes, steps


class Compare(CliTest):
    def logs(self, episodes=200):
        """Two steps, two actions of which 1 earns more; `good` and `better` take it more often than the logged policy."""
        draw = random.Random(3)
        rows = []
        for i in range(episodes):
            ward = draw.choice(["icu", "er"])
            for t in range(2):
                action = draw.randrange(2)
                rows.append({"episode": f"p{i}", "t": t, "ward": ward, "age": 20 + i % 60, "action": action,
                             "reward": action + draw.gauss(0, 0.5) + (ward == "icu") * action, "behavior_prob": 0.5,
                             "same": 0.5, "good": 0.7 if action else 0.3, "better": 0.9 if action else 0.1})
        return self.write_table("logs.csv", rows)

    def compared(self, *flags):
        return self.answer("compare", self.logs(), "--target-prob", "same", "--target-prob", "good", "--target-prob",
                           "better", *flags)

    def test_json(self):
        found = self.compared("--json").json()
        self.assertEqual(found["schema"], "starope.compare/1")
        self.assertEqual([p["policy"] for p in found["policies"]], ["logged", "same", "good", "better"])
        self.assertEqual(found["ranking"][:2], ["better", "good"])
        same = found["differences"][0]
        self.assertEqual((same["first"], same["second"]), ("same", "logged"))
        self.assertEqual((same["value"], same["std_error"], same["told_apart"]), (0.0, 0.0, False))
        # The truth: 2 * (0.9 - 0.5) * 1.5 = 1.2 more than the logged policy.
        better = found["differences"][2]
        self.assertTrue(better["interval"]["lower"] < 1.2 < better["interval"]["upper"], better)
        self.assertTrue(better["told_apart"])
        self.assertIn(["same", "logged"], [sorted(group, reverse=True) for group in found["not_told_apart"]])
        self.assertAlmostEqual(sum(p["probability_best"] for p in found["policies"]), 1.0)
        alone = self.answer("evaluate", "logs.csv", "--target-prob", "better", "--estimators", "wpdis", "--json").json()
        self.assertAlmostEqual(alone["difference"]["value"], better["value"])
        self.assertAlmostEqual(alone["difference"]["std_error"], better["std_error"])
        # All pairs at once is more than one.
        self.assertLess(better["interval"]["lower"], alone["difference"]["interval"]["lower"])

    def test_text_and_report(self):
        shown = self.compared("--report", "page.html").out
        self.assertIn("better has the largest value", shown)
        self.assertIn("better - ", shown.replace("good - better", "better - "))
        page = (self.folder / "page.html").read_text()
        self.assertIn("Policies on logs.csv", page)
        self.assertIn("Differences of pairs", page)

    def test_policies_as_files(self):
        """The same policies as columns and as files say the same; the logs may then be read from a pipe."""
        self.write("good.csv", "stay,go\n0.3,0.7\n")
        self.write("better.json", '{"schema": "starope.policy/1", "probabilities": [[0.1, 0.9]]}')
        files = ("--target", "good.csv", "--target", "better.json", "--estimator", "wpdis", "--json")
        found = self.answer("compare", self.logs(), *files).json()
        self.assertEqual([p["policy"] for p in found["policies"]], ["logged", "good.csv", "better.json"])
        columns = self.answer("compare", "logs.csv", "--target-prob", "good", "--target-prob", "better", "--estimator", "wpdis",
                              "--json").json()
        for a, b in zip(found["differences"], columns["differences"], strict=True):
            self.assertAlmostEqual(a["value"], b["value"])
            self.assertAlmostEqual(a["std_error"], b["std_error"])
        piped = self.run_cli("compare", "-", *files, stdin=(self.folder / "logs.csv").read_text())
        self.assertEqual(piped.json()["differences"], found["differences"])
        mixed = self.answer("compare", "logs.csv", "--target-prob", "same", "--target", "better.json", "--json").json()
        self.assertEqual([p["policy"] for p in mixed["policies"]], ["logged", "same", "better.json"])
        self.refused(1, "compare", "logs.csv", "--target", "none.csv", says=["none.csv"])
        self.refused(2, "compare", "logs.csv", "--target", "good.csv", "--report", "good.csv", says=["written over"])

    def test_behavior_that_was_not_logged(self):
        """Each policy is answered as `evaluate` answers it with the same flag; the logged probabilities are not looked at."""
        policies = ("--target-prob", "good", "--target-prob", "better", "--estimator", "wpdis", "--json")
        whole = (self.folder / self.logs()).read_text().splitlines()
        place = whole[0].split(",").index("behavior_prob")
        gaps = [whole[0]]
        for i, line in enumerate(whole[1:]):
            cells = line.split(",")
            cells[place] = "" if i % 5 == 0 else cells[place]
            gaps.append(",".join(cells))
        self.write("gaps.csv", "\n".join(gaps) + "\n")
        self.refused(1, "compare", "gaps.csv", *policies, says=["'behavior_prob'", "--behavior fill"])
        for how in ("fill", "estimate(method=global)"):
            found = self.answer("compare", "gaps.csv", "--behavior", how, *policies).json()
            for policy in ("good", "better"):
                alone = self.answer("evaluate", "gaps.csv", "--behavior", how, "--target-prob", policy, "--estimators", "wpdis",
                                    "--json").json()
                value = next(p["value"] for p in found["policies"] if p["policy"] == policy)
                self.assertEqual(value, alone["answer"]["value"])
            findings = [finding["code"] for finding in found["policies"][1]["findings"]]
            self.assertIn("behavior_filled" if how == "fill" else "behavior_estimated", findings)
        self.refused(2, "compare", "gaps.csv", "--behavior", "guess", *policies, says=["--behavior guess"])

    def test_automatic_answers_use_the_distributions_of_files(self):
        self.answer("simulate", "cartpole", "--episodes", "200", "--seed", "1", "-o", "c.csv")
        self.write("even.csv", "left,right\n0.5,0.5\n")
        found = self.answer("compare", "c.csv", "--target", "even.csv", "--json").json()
        alone = self.answer("evaluate", "c.csv", "--target", "even.csv", "--estimators", "auto", "--json").json()
        self.assertEqual(found["policies"][1]["value"], alone["answer"]["value"])
        self.assertIn("actions", json.dumps(alone["estimates"][0]))

    def test_json_becomes_the_same_report(self):
        data = self.logs()
        flags = ("--target-prob", "good", "--target-prob", "better", "--estimator", "wpdis")
        self.write("compared.json", self.answer("compare", data, *flags, "--json", "--report", "direct.html").out)
        self.answer("report", "compared.json", "-o", "printed.html")
        page = (self.folder / "printed.html").read_text()
        self.assertEqual(page, (self.folder / "direct.html").read_text())
        for part in ("Values of the policies", "Differences of pairs", "better - logged"):
            self.assertIn(part, page)
        # A comparison that was cut in half is told as one.
        broken = self.write("broken.json", '{"schema": "starope.compare/1"}')
        self.refused(1, "report", broken, "-o", "broken.html", says=["broken.json", "a comparison"])

    def test_wrong_usage(self):
        data = self.logs()
        self.refused(2, "compare", data, says=["--target-prob"])
        self.refused(2, "compare", "-", "--target-prob", "good", "--target-prob", "better", says=["standard input"])
        self.refused(2, "compare", data, "--target-prob", "good", "--estimator", "wpids", says=["wpdis"])
        self.refused(1, "compare", data, "--target-prob", "goood", says=["good"])

    def test_blocks_say_the_same(self):
        memory = self.compared("--json").json()
        blocks = self.compared("--json", "--memory", "1kB").json()
        self.assertEqual(memory["ranking"], blocks["ranking"])
        for a, b in zip(memory["differences"], blocks["differences"]):
            self.assertAlmostEqual(a["value"], b["value"])

    def test_by(self):
        data = self.logs()
        by = lambda rule, *flags: self.answer("evaluate", data, "--target-prob", "better", "--estimators", "wpdis,naive",
                                              "--by", rule, "--json", *flags).json()
        found = by("ward")
        self.assertEqual(found["by"], "ward")
        self.assertEqual([g["group"] for g in found["groups"]], ["ward = er", "ward = icu"])
        # The truth: action 1 earns 1 in the er and 2 in the icu, and is taken 0.4 more often, twice.
        for group, truth in zip(found["groups"], (0.8, 1.6)):
            interval = group["difference"]["interval"]
            self.assertTrue(interval["lower"] < truth < interval["upper"], group)
        total = sum(g["episodes"] * g["value"] for g in found["groups"]) / 200
        self.assertAlmostEqual(total, found["answer"]["value"])
        self.assertEqual([g["group"] for g in by("age<22")["groups"]], ["age < 22", "age >= 22"])
        self.assertTrue(by("age<22")["groups"][0]["too_few"])
        self.assertIsNone(by("age<22")["groups"][0]["difference"]["interval"])
        self.assertEqual(len(by("age")["groups"]), 4)
        self.assertEqual(by("ward", "--sort")["groups"], found["groups"])
        shown = self.answer("evaluate", data, "--target-prob", "better", "--by", "age<22").out
        self.assertIn("too few", shown)
        self.refused(1, "evaluate", data, "--target-prob", "better", "--by", "wards", says=["ward"])
        self.refused(2, "evaluate", data, "--target-prob", "better", "--by", "ward<icu", says=["Use = or !="])


class NeedsAllLogs(CliTest):
    def test_says_so_before_anything_is_read(self):
        rows = steps(random_episodes(3000), state=lambda i, t: (i + t) % 3)
        rows[-1]["reward"] = "lots"  # who reads as far as this says so
        self.write_table("d.csv", rows)
        for question in ("--quantiles", "0.5"), ("--behavior", "estimate"):
            self.refused(1, "evaluate", "d.csv", *question, "--memory", "1kB",
                         says=["d.csv", "need all logs in memory", "1.0 kB may be used"])
        self.refused(1, "compare", "d.csv", "--target-prob", "target_prob", "--estimator", "mb", "--memory", "1kB",
                     says=["mb cannot answer", "1.0 kB may be used"])
        self.refused(1, "compare", "d.csv", "--target-prob", "target_prob", "--estimator", "wpdis", "--memory", "1kB",
                     says=["'lots' is not a number"])

    def test_a_pipe_is_compared_once(self):
        self.write_table("d.csv", steps(random_episodes(30)))
        os.mkfifo(self.folder / "pipe")
        self.refused(2, "compare", "pipe", "--target-prob", "target_prob", "--target-prob", "behavior_prob",
                     says=["a pipe can be read only once"])


if __name__ == "__main__":
    main()
