"""What evaluate answers, against numbers worked out here, and the contract of its JSON."""

import math
import pathlib

from support import EPISODES, CliTest, main, random_episodes, small_table, steps

ALL = "naive,is,wis,pdis,wpdis"


def by_hand(episodes, gamma=1.0, horizon=None):
    """The estimators of importance sampling, from their definitions."""
    n = len(episodes)
    cut = [episode[:horizon] for episode in episodes]
    returns = [sum(gamma**t * step[1] for t, step in enumerate(episode)) for episode in cut]
    running = []  # the running products
    for episode in cut:
        product, products = 1.0, []
        for _, _, behavior, target in episode:
            product *= target / behavior
            products.append(product)
        running.append(products)
    full = [products[-1] for products in running]
    longest = max(map(len, cut))
    pdis, wpdis = 0.0, 0.0
    for t in range(longest):
        weighted = sum(w[t] * e[t][1] for w, e in zip(running, cut) if t < len(e))
        weights = sum(w[min(t, len(w) - 1)] for w in running)
        pdis += gamma**t * weighted / n
        wpdis += gamma**t * weighted / weights
    return {
        "naive": sum(returns) / n,
        "is": sum(w * g for w, g in zip(full, returns)) / n,
        "wis": sum(w * g for w, g in zip(full, returns)) / sum(full),
        "pdis": pdis,
        "wpdis": wpdis,
        "ess": sum(full)**2 / sum(w * w for w in full),
    }


class Values(CliTest):
    def check(self, episodes, *flags, gamma=1.0, horizon=None):
        self.write_table("d.csv", steps(episodes))
        answer = self.answer("evaluate", "d.csv", "--estimators", ALL, "--json", *flags).json()
        expected = by_hand(episodes, gamma, horizon)
        self.assertAlmostEqual(answer["data"]["ess"], expected["ess"], delta=1e-9 * expected["ess"])
        for estimate in answer["estimates"]:
            value = expected[estimate["estimator"]]
            self.assertAlmostEqual(estimate["value"], value, delta=1e-9 * abs(value), msg=estimate["estimator"])
        return answer

    def test_three_episodes(self):
        answer = self.check(EPISODES)
        self.assertEqual(answer["data"]["episodes"], 3)
        self.assertEqual(answer["data"]["steps"], 6)
        self.assertEqual([e["estimator"] for e in answer["estimates"]], ALL.split(","))

    def test_many_episodes(self):
        self.check(random_episodes(200))

    def test_discount(self):
        answer = self.check(random_episodes(50), "--gamma", "0.9", gamma=0.9)
        self.assertEqual(answer["data"]["gamma"], 0.9)

    def test_horizon(self):
        answer = self.check(random_episodes(50), "--horizon", "2", horizon=2)
        self.assertEqual(answer["data"]["horizon"], 2)

    def test_standard_error_of_a_mean(self):
        episodes = random_episodes(50)
        returns = [sum(step[1] for step in episode) for episode in episodes]
        mean = sum(returns) / 50
        expected = math.sqrt(sum((g - mean)**2 for g in returns) / 50 / 50)
        naive = self.check(episodes)["estimates"][0]
        self.assertAlmostEqual(naive["std_error"], expected, delta=0.02 * expected)  # n or n-1
        interval = naive["interval"]
        self.assertLess(interval["lower"], naive["value"] - 1.9 * expected)
        self.assertGreater(interval["upper"], naive["value"] + 1.9 * expected)


class Golden(CliTest):
    """Reference numbers that other programs produced."""

    golden = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"

    def test_cartpole(self):
        import json
        reference = json.loads((self.golden / "cartpole_reference.json").read_text())
        star = {}
        for record in reference["STAR"]:
            clip = "none" if record["c"] is None else record["c"]
            file = self.golden / "abstractions" / f"cartpole_{record['centroids']}_K{record['K']}.csv"
            if file.exists() and record["K"] in (1, 8) and math.isfinite(record["exact_trunc_as_term"]):
                star[f"star(centroids={file},clip={clip})"] = record["exact_trunc_as_term"]
        self.assertGreater(len(star), 3)
        names = {"naive": "NAIVE", "is": "IS", "wis": "WIS", "pdis": "PDIS_STEP_IS", "wpdis": "WPDIS_STEP_WIS"}
        expected = {ours: reference["official"][theirs] for ours, theirs in names.items()}
        expected.update(star)
        answer = self.answer("evaluate", self.golden / "cartpole.npz", "--json",
                             *(word for name in expected for word in ("--estimators", name))).json()
        for estimate in answer["estimates"]:
            self.assertIn("value", estimate, estimate)
            value = expected[estimate["estimator"]]
            self.assertAlmostEqual(estimate["value"], value, delta=1e-7 * abs(value), msg=estimate["estimator"])


class Contract(CliTest):
    def test_schema(self):
        data = self.write_table("d.csv", steps(random_episodes(60), lambda i, t: t % 3))
        answer = self.answer("evaluate", data, "--json").json()
        self.assertEqual(answer["schema"], "starope.evaluate/1")
        self.assertEqual(["schema", "answer", "difference", "verdict", "data", "estimates"], list(answer))
        self.assertEqual(answer["answer"]["estimator"], "auto")
        self.assertEqual(answer["answer"]["value"], answer["estimates"][0]["value"])
        naive = next(each for each in answer["estimates"] if each["estimator"] == "naive")
        self.assertAlmostEqual(answer["difference"]["value"], answer["answer"]["value"] - naive["value"])
        self.assertEqual(answer["difference"]["logged"]["value"], naive["value"])
        self.assertIn(answer["verdict"]["grade"], ("supported", "doubtful", "not_answerable"))
        self.assertTrue(answer["verdict"]["reasons"])
        self.assertLessEqual({"episodes", "steps", "gamma", "ess"}, set(answer["data"]))
        for estimate in answer["estimates"]:
            self.assertLessEqual({"estimator", "value", "std_error", "interval", "findings"}, set(estimate))
            self.assertEqual({"lower", "upper", "level", "method"}, set(estimate["interval"]))
            self.assertEqual(estimate["interval"]["method"], "influence")
            self.assertEqual(estimate["interval"]["level"], 0.95)
            self.assertLess(estimate["interval"]["lower"], estimate["value"])
            for finding in estimate["findings"]:
                self.assertEqual({"severity", "code", "parameters", "message"}, set(finding))
                self.assertIn(finding["severity"], ("info", "warning", "critical"))

    def test_level_and_no_interval(self):
        data = self.write_table("d.csv", small_table())
        wide = self.answer("evaluate", data, "--estimators", "naive", "--level", "0.99", "--json").json()["estimates"][0]
        narrow = self.answer("evaluate", data, "--estimators", "naive", "--level", "0.5", "--json").json()["estimates"][0]
        self.assertEqual(wide["interval"]["level"], 0.99)
        self.assertLess(wide["interval"]["lower"], narrow["interval"]["lower"])
        none = self.answer("evaluate", data, "--estimators", "naive", "--interval", "none", "--json").json()
        self.assertIsNone(none["estimates"][0]["interval"])

    def test_estimator_strings_come_back_as_given(self):
        data = self.write_table("d.csv", small_table())
        names = ["wis", "star(phi=one,clip=none)", "star(phi=identity,clip=1)"]
        answer = self.answer("evaluate", data, "--estimators", f"{names[0]},{names[1]}", "--estimators", names[2], "--json")
        self.assertEqual([e["estimator"] for e in answer.json()["estimates"]], names)

    def test_default_list(self):
        discrete = self.write_table("a.csv", small_table())
        without = self.write_table("b.csv", small_table(state=False))
        rows = small_table()
        for row in rows:
            row["state"] = row["state"] + 0.5
        real = self.write_table("c.csv", rows)
        contrast = ["auto", "naive", "wis", "wpdis"]
        for data, expected in ((discrete, contrast), (real, contrast), (without, ["naive", "is", "pdis", "wis", "wpdis"])):
            result = self.answer("evaluate", data, "--json")
            self.assertEqual([e["estimator"] for e in result.json()["estimates"]], expected)
            self.assertIn(",".join(expected), result.err)

    def test_auto_explains_itself(self):
        data = self.write_table("d.csv", steps(random_episodes(60), lambda i, t: t + 0.5 * i))
        details = self.answer("evaluate", data, "--estimators", "auto", "--horizon", "3", "--json").json()["estimates"][0]["details"]
        self.assertIn(details["markov"], (True, False))
        self.assertEqual(details["horizon"], 3)
        self.assertEqual(len(details["value_of_seed"]), 6)
        shown = self.answer("evaluate", data, "--estimators", "auto,naive", "--horizon", "3", "--explain").out
        self.assertIn("How auto came to ", shown)
        argument = shown[shown.index("How auto came to "):]
        for words in ("weight  decided by", "Its standard error", "Cells of", "A window of two ratios", "Half of the", "3 steps count"):
            self.assertIn(words, argument)
        self.assertLess(argument.count("\n"), 25)
        self.assertTrue(shown.startswith("The target policy earns "), shown)

    def test_same_bytes_for_any_number_of_threads(self):
        data = self.write_table("d.csv", steps(random_episodes(500), lambda i, t: (i * 7 + t) % 5 + 0.25))
        flags = ["--estimators", "naive,is,wis,pdis,wpdis,star(clusters=3,clip=2)", "--json"]
        one = self.answer("evaluate", data, *flags, "--threads", "1")
        two = self.answer("evaluate", data, *flags, "--threads", "2")
        self.assertEqual(one.out, two.out)

    def test_seed(self):
        data = self.write_table("d.csv", steps(random_episodes(80), lambda i, t: (i * 7 % 11) / 3 + t))

        def value(*flags):
            return self.answer("evaluate", data, "--json", *flags).json()["estimates"][0]["value"]

        drawn = {seed: value("--estimators", "star(clusters=4)", "--seed", str(seed)) for seed in range(8)}
        self.assertGreater(len(set(drawn.values())), 1)  # the seed matters
        self.assertEqual(value("--estimators", "star(clusters=4)"), drawn[0])
        self.assertEqual(value("--estimators", "star(clusters=4,seed=3)", "--seed", "5"), drawn[3])

    def test_columns_by_other_names(self):
        rows = [{"stay": f"p{r['episode']}", "hour": r["t"], "r": r["reward"], "pb": math.log(r["behavior_prob"]),
                 "pe": math.log(r["target_prob"]), "note": "x"} for r in small_table()]
        data = self.write_table("d.csv", rows)
        answer = self.answer("evaluate", data, "--episode", "stay", "--t", "hour", "--reward", "r", "--behavior-logp", "pb",
                             "--target-logp", "pe", "--estimators", ALL, "--json").json()
        expected = by_hand(EPISODES)
        for estimate in answer["estimates"]:
            self.assertAlmostEqual(estimate["value"], expected[estimate["estimator"]], delta=1e-9)

    def test_columns_can_be_left_out(self):
        rows = small_table()
        for row in rows:
            row["t"] = 0
        data = self.write_table("d.csv", rows)
        self.refused(1, "evaluate", data, says=["--t"])
        self.answer("evaluate", data, "--t", "", "--estimators", "naive")

    def test_sort(self):
        rows = small_table()
        data = self.write_table("d.csv", rows[::2] + rows[1::2])
        answer = self.answer("evaluate", data, "--sort", "--estimators", ALL, "--json").json()
        expected = by_hand(EPISODES)
        for estimate in answer["estimates"]:
            self.assertAlmostEqual(estimate["value"], expected[estimate["estimator"]], delta=1e-9)


class Failures(CliTest):
    def setUp(self):
        super().setUp()
        rows = small_table()
        for row in rows:
            row["state"] += 0.5
        self.data = self.write_table("d.csv", rows)
        self.write("flat.csv", "0,0,0\n1,1,1\n")  # centroids of three dimensions; the states have one

    def test_one_failure_leaves_the_others(self):
        lost = {"star(centroids=flat.csv,clip=2)": "flat.csv", "star(centroids=none.csv)": "none.csv",
                "star(lookup=none.csv)": "none.csv"}
        for name, says in lost.items():
            result = self.answer("evaluate", self.data, "--estimators", f"{name},naive", "--json")
            failed, naive = result.json()["estimates"]
            self.assertEqual(failed["estimator"], name)
            self.assertNotIn("value", failed)
            self.assertEqual({"code", "message"}, set(failed["error"]))
            self.assertIn(says, failed["error"]["message"])
            self.assertIn("value", naive)
            shown = self.answer("evaluate", self.data, "--estimators", f"{name},naive").out
            self.assertIn("failed", shown)

    def test_no_answer_at_all(self):
        result = self.run_cli("evaluate", self.data, "--estimators", "star(centroids=flat.csv)", "--json")
        self.assertEqual(result.code, 1)
        self.assertIn("error", result.json()["estimates"][0])
        self.assertIn("no estimator", result.err)

    def test_no_states(self):
        data = self.write_table("n.csv", small_table(state=False))
        failed = self.answer("evaluate", data, "--estimators", "naive,star(clusters=2)", "--json").json()["estimates"][1]
        self.assertIn("state", failed["error"]["message"])

    def test_no_exit(self):
        # The only state that is ever left goes round for ever: the episode is cut while it stays there, and the last
        # step, censored, says nothing about how it ends.
        rows = [{"episode": 0, "state": 1, "action": 0, "reward": 1, "behavior_prob": 1, "target_prob": 1, "terminated": 0}
                for _ in range(3)]
        data = self.write_table("loop.csv", rows)
        answer = self.answer("evaluate", data, "--json", "--estimators",
                             "naive,star(phi=identity,truncation=censor,horizon=none)").json()
        self.assertIn("error", answer["estimates"][1])


class Table(CliTest):
    def test_what_people_see(self):
        data = self.write_table("d.csv", steps(random_episodes(100), lambda i, t: t))
        shown = self.answer("evaluate", data, "--gamma", "0.9", "--horizon", "3").out
        self.assertIn("d.csv: 100 episodes, ", shown)
        self.assertIn("Discount 0.9, horizon 3.", shown)
        self.assertIn("Effective sample size of the full-episode weights", shown)
        self.assertIn("95 % interval", shown)
        self.assertIn("naive is what the logged policy earned", shown)
        for name in ("auto", "naive", "wis", "wpdis"):
            self.assertRegex(shown, rf"(?m)^{name} +-?\d")

    def test_fits_the_terminal(self):
        data = self.write_table("d.csv", steps(random_episodes(30), lambda i, t: t + 0.5))
        for width in (80, 120):
            shown = self.answer("evaluate", data, "--estimators", "naive,is,wis,star(clusters=3,clip=none,init=random,seed=3)",
                                COLUMNS=str(width)).out
            for line in shown.splitlines():
                self.assertLessEqual(len(line), width, line)


class WrongLogs(CliTest):
    def test_what_is_wrong_stands_above_the_answers(self):
        # Actions were drawn with probability 0.5, but 0.25 was logged.
        rows = steps([[(a, r, 0.25, target) for a, r, _, target in episode] for episode in random_episodes(200)])
        self.write_table("d.csv", rows)
        found = self.answer("evaluate", "d.csv", "--estimators", "naive", "--json").json()["data"]["findings"]
        self.assertEqual([f["severity"] for f in found if f["code"] == "behavior_prob_wrong"], ["critical"])
        text = self.answer("evaluate", "d.csv", "--estimators", "naive").out
        self.assertLess(text.index("Critical: behavior_prob is too small"), text.index("estimator  value"))

    def test_gaps_in_t(self):
        rows = [{"episode": e, "t": t, "reward": 1, "behavior_prob": 0.5, "target_prob": 0.5}
                for e in range(4) for t in range(6) if (e, t) != (2, 3)]
        self.write_table("d.csv", rows)
        found = self.answer("evaluate", "d.csv", "--estimators", "naive", "--json").json()["data"]["findings"]
        self.assertIn("1 step is missing in 1 episode", [f["message"] for f in found if f["code"] == "gaps_in_t"][0])
        rows = [row for row in rows if row["t"] != 3]  # t counts, but nobody counts 3
        self.write_table("e.csv", [dict(row, t=row["t"] if row["t"] < 3 else row["t"] - 1) for row in rows])
        found = self.answer("evaluate", "e.csv", "--estimators", "naive", "--json").json()["data"]["findings"]
        self.assertNotIn("gaps_in_t", [f["code"] for f in found])


class Blocks(CliTest):
    """Logs that need more memory than is allowed are read in blocks."""

    def setUp(self):
        super().setUp()
        self.write_table("d.csv", steps(random_episodes(400)))

    def test_the_numbers_of_memory(self):
        estimators = ALL + ",star(clusters=4,clip=2),star(clusters=4),star(phi=time),auto(seeds=2)"
        self.answer("simulate", "cartpole", "--episodes", "60", "-o", "d.csv")
        flags = ("evaluate", "d.csv", "--estimators", estimators, "--json", "--gamma", "0.97")
        memory = self.answer(*flags)
        blocks = self.answer(*flags, "--memory", "1kB")
        self.assertEqual(blocks.err, "")
        piped = self.answer("evaluate", "-", *flags[2:], "--memory", "1kB", stdin=(self.folder / "d.csv").read_text())
        for result in blocks, piped:
            self.assertEqual(result.json()["data"] | {"file": "d.csv"}, memory.json()["data"])
            for got, expected in zip(result.json()["estimates"], memory.json()["estimates"], strict=True):
                for end in "lower", "upper":  # how many episodes it rests on is summed in another way
                    self.assertAlmostEqual(got["interval"][end], expected["interval"][end], delta=1e-9)
                for each in got, expected:
                    each["findings"] = [finding["code"] for finding in each["findings"]]
                self.assertEqual(got | {"interval": {}}, expected | {"interval": {}})

    def test_what_needs_memory_says_so_with_the_size(self):
        result = self.answer("evaluate", "d.csv", "--estimators", "naive,mb", "--memory", "1kB", "--json")
        failure = result.json()["estimates"][1]["error"]
        self.assertEqual(failure["code"], "needs_memory")
        self.assertIn("kB of memory", failure["message"])
        self.assertIn("mb cannot answer", result.err)

    def test_nothing_is_read_for_nothing(self):
        with open(self.folder / "d.csv", "a") as file:
            file.write("x,1,1,1,1,1\n" * 100_000 + "spoiled\n")  # nobody gets that far
        self.refused(1, "evaluate", "d.csv", "--estimators", "mb,dr", "--memory", "1kB",
                     says=("mb, dr cannot answer", "--memory", "wpdis"))

    def test_usual_estimators_are_those_that_take_blocks(self):
        result = self.answer("evaluate", "d.csv", "--memory", "1kB")
        self.assertIn("these are evaluated: naive,is,pdis,wis,wpdis", result.err)

    def test_amounts(self):
        self.refused(2, "evaluate", "d.csv", "--memory", "much", says=("--memory much", "2GB"))


if __name__ == "__main__":
    main()
