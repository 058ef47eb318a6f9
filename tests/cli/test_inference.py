"""Intervals by every method, behavior policies that nobody logged, and distributions of returns, as the program has them."""

import math

from support import CliTest, main, random_episodes, steps


class Intervals(CliTest):
    def estimates(self, method, estimators, *flags):
        self.write_table("d.csv", steps(random_episodes(60)))
        answer = self.answer("evaluate", "d.csv", "--json", "--estimators", estimators, "--interval", method, *flags)
        return {each["estimator"]: each for each in answer.json()["estimates"]}

    def test_bootstraps_are_named_and_reproducible(self):
        for method in ("bootstrap-percentile", "bootstrap-bca", "bootstrap-studentized"):
            found = self.estimates(f"{method}(replicates=100)", "naive,wis,wpdis")
            for estimate in found.values():
                self.assertEqual(estimate["interval"]["method"], method)
                self.assertLess(estimate["interval"]["lower"], estimate["interval"]["upper"])
            self.assertEqual(found, self.estimates(f"{method}(replicates=100)", "naive,wis,wpdis", "--threads", "1"))

    def test_hoeffding_by_hand(self):
        found = self.estimates("hoeffding(lower=-50,upper=50)", "naive,wis", "--level", "0.9")
        interval = found["naive"]["interval"]
        reach = 100 * math.sqrt(math.log(2 / 0.1) / (2 * 60))
        self.assertAlmostEqual(interval["upper"] - interval["lower"], 2 * reach, places=9)
        self.assertIsNone(found["wis"]["interval"])
        self.assertIn("no_interval", [finding["code"] for finding in found["wis"]["findings"]])

    def test_slips(self):
        self.write_table("d.csv", steps(random_episodes(5)))
        self.refused(2, "evaluate", "d.csv", "--interval", "bootstrap-bka", says=("--interval", "bootstrap-bca"))
        self.refused(2, "evaluate", "d.csv", "--quantiles", "2", says=("--quantiles", "between 0 and 1"))
        self.refused(2, "evaluate", "d.csv", "--behavior", "guess", says=("--behavior", "estimate"))


class Simulated(CliTest):
    def setUp(self):
        super().setUp()
        self.answer("simulate", "cartpole", "--episodes", "80", "--seed", "3", "-o", "c.csv")

    def test_behavior_probabilities_that_are_partly_missing(self):
        self.answer("simulate", "gridworld-4x4", "--episodes", "60", "--horizon", "20", "-o", "whole.csv")
        names, *rows = [line.split(",") for line in (self.folder / "whole.csv").read_text().splitlines()]
        at = names.index("behavior_prob")
        for k, row in enumerate(rows):
            if k % 10 == 0:
                row[at] = ""
        self.write("d.csv", "\n".join(",".join(row) for row in [names, *rows]) + "\n")
        missing = (len(rows) + 9) // 10
        flags = ("--estimators", "wis,star(phi=identity,clip=1)")
        self.refused(1, "evaluate", "d.csv", "--behavior-probs", "", *flags,
                     says=("d.csv, row 2, column 'behavior_prob'", "missing", "--behavior fill"))
        found = self.answer("evaluate", "d.csv", "--behavior", "fill", *flags, "--json").json()
        self.assertEqual(found["behavior"]["filled"], missing)
        said = {each["code"]: each for each in found["data"]["findings"]}
        self.assertEqual(said["behavior_filled"]["parameters"]["rows"], missing)
        self.assertIn(f"{missing} behavior probabilities were not logged", said["behavior_filled"]["message"])
        shown = self.answer("evaluate", "d.csv", "--behavior", "fill", *flags).out
        self.assertIn("behavior probabilities that were not logged were estimated", " ".join(shown.split()))
        # Nine of ten ratios are the logged ones, so the answer is near.
        known = self.answer("evaluate", "whole.csv", *flags, "--json").json()
        for a, b in zip(found["estimates"], known["estimates"], strict=True):
            self.assertLess(abs(a["value"] - b["value"]), 2 * b["std_error"])
        # Nothing to fill: the answer of the logged probabilities. No column to fill: that is said.
        same = self.answer("evaluate", "whole.csv", "--behavior", "fill", *flags, "--json").json()
        self.assertEqual([e["value"] for e in same["estimates"]], [e["value"] for e in known["estimates"]])
        self.refused(1, "evaluate", "whole.csv", "--behavior", "fill", "--behavior-prob", "", *flags, says=["behavior_prob"])

    def test_a_behavior_policy_that_nobody_logged(self):
        text = (self.folder / "c.csv").read_text(encoding="utf-8").splitlines()
        names = text[0].split(",")
        kept = [i for i, name in enumerate(names) if not name.startswith("behavior")]
        self.write("unknown.csv", "".join(",".join(line.split(",")[i] for i in kept) + "\n" for line in text))
        flags = ("--json", "--estimators", "wis,star(clusters=8,clip=1)", "--behavior", "estimate")
        found = self.answer("evaluate", "unknown.csv", *flags).json()
        self.assertEqual(found["behavior"]["estimator"], "wis")
        methods = {each["method"]: each for each in found["behavior"]["methods"]}
        self.assertEqual(set(methods), {"global", "clusters", "logistic", "neighbors"})
        # The policy takes both actions alike: nothing foretells them better than one half does.
        self.assertAlmostEqual(methods["global"]["log_likelihood"], math.log(0.5), delta=0.02)
        self.assertEqual(found["estimates"][0]["value"], found["behavior"]["methods"][0]["value"])
        # Logged probabilities are not looked at.
        self.assertEqual(self.answer("evaluate", "c.csv", *flags).json()["estimates"], found["estimates"])
        self.assertIn("estimated from the logged actions",
                      " ".join(self.answer("evaluate", "unknown.csv", *flags[1:]).out.split()))

    def test_risk(self):
        found = self.answer("evaluate", "c.csv", "--json", "--estimators", "naive", "--quantiles", "0.1,0.5", "--cvar", "1",
                            "--below", "20").json()
        methods = {each["method"]: each for each in found["distributions"]}
        self.assertEqual(set(methods), {"logged", "wis", "arp", "dr"})
        self.assertAlmostEqual(methods["logged"]["cvar"][0]["value"], found["estimates"][0]["value"], places=9)
        for each in methods.values():
            self.assertEqual(each["cdf"], sorted(each["cdf"]))
            self.assertEqual(each["cdf"][-1], 1.0)
            self.assertLessEqual(each["quantiles"][0]["value"], each["quantiles"][1]["value"])
            interval = each["below"][0]["interval"]
            self.assertLessEqual(interval["lower"], interval["upper"])

    def test_risk_says_whom_to_believe(self):
        flags = ("--estimators", "naive", "--quantiles", "0.1", "--below", "20")
        methods = {each["method"]: each for each in self.answer("evaluate", "c.csv", "--json", *flags).json()["distributions"]}
        # Products of up to 50 ratios: one or two of 80 episodes carry them.
        for name in "wis", "dr":
            self.assertLess(methods[name]["ess"], 10)
            self.assertFalse(methods[name]["believed"])
            self.assertEqual([each["code"] for each in methods[name]["findings"]], ["few_for_risk"])
        self.assertLess(methods["wis"]["below"][0]["ess"], 10)
        self.assertEqual(methods["logged"]["findings"], [])
        shown = self.answer("evaluate", "c.csv", *flags).out
        self.assertRegex(shown, "Believe arp|Do not believe any of them")

    def test_bootstrap_of_logs_in_blocks(self):
        flags = ("--json", "--estimators", "naive,wis,wpdis,star(clusters=8,clip=1)", "--interval",
                 "bootstrap-percentile(replicates=100)")
        memory = self.answer("evaluate", "c.csv", *flags).json()["estimates"]
        blocks = self.answer("evaluate", "c.csv", "--memory", "1kB", *flags).json()["estimates"]
        for a, b in zip(memory, blocks):
            self.assertEqual(a["interval"]["method"], b["interval"]["method"])
            for end in "lower", "upper":
                self.assertAlmostEqual(a["interval"][end], b["interval"][end], delta=1e-9 * (1 + abs(a["interval"][end])))

    def test_occupancy_ratios(self):
        found = self.answer("evaluate", "c.csv", "--json", "--gamma", "0.9", "--estimators",
                            "mis(clusters=16),mis(clusters=16,dr=mb),dice,star(clusters=16,clip=1)").json()
        values = [each["value"] for each in found["estimates"]]
        self.assertLess(max(values) - min(values), 0.2 * max(values), found["estimates"])


if __name__ == "__main__":
    main()
