"""What inspect finds in a file, and its advice."""

from support import CliTest, main, random_episodes, small_table, steps


class Inspect(CliTest):
    def found(self, rows, *flags):
        data = self.write_table("d.csv", rows)
        return self.answer("inspect", data, "--json", *flags).json()

    def codes(self, found):
        return [finding["code"] for finding in found["findings"]]

    def test_schema(self):
        rows = small_table()
        for row in rows:
            row["comment"] = "x"
        found = self.found(rows)
        self.assertEqual(found["schema"], "starope.inspect/1")
        self.assertIn({"name": "reward", "role": "reward"}, found["columns"]["recognized"])
        self.assertEqual(found["columns"]["ignored"], ["comment"])
        self.assertEqual((found["episodes"], found["steps"]), (3, 6))
        self.assertEqual(found["length"], {"min": 1, "median": 2.0, "mean": 2.0, "max": 3})
        self.assertEqual(found["ends"]["terminated"], 3)
        self.assertFalse(found["ends"]["logged"])
        self.assertEqual(found["state"]["kind"], "discrete")
        self.assertEqual(found["state"]["distinct"], 3)
        self.assertEqual([a["count"] for a in found["action"]["actions"]], [3, 3])
        self.assertEqual(found["reward"]["max"], 32.0)
        self.assertEqual(found["return"]["max"], 56.0)
        self.assertEqual(found["ratio"]["max"], 2.0)
        # Weights after 1, 2 and 3 steps: (2, 1/2, 2), (1, 1/2, 4), (1, 1/2, 2).
        self.assertEqual([w["t"] for w in found["weights"]], [1, 2, 3])
        self.assertAlmostEqual(found["weights"][1]["mean"], 5.5 / 3)
        self.assertAlmostEqual(found["weights"][2]["ess"], 3.5**2 / 5.25)

        # By action, 1 / behavior_prob where it is taken; windows of one ratio after one step are the same weights.
        self.assertEqual([a["possible"] for a in found["action"]["actions"]], [1.0, 2.0])
        self.assertEqual([c["clip"] for c in found["clips"]], [1, 2, 3, 5])
        self.assertAlmostEqual(found["clips"][0]["by_step"][0]["ess"], found["weights"][0]["ess"])
        self.assertEqual(found["weights"][2]["top_share"], found["weights"][2]["largest_share"])
        self.assertEqual(found["calibration"], [])
        self.assertIsNone(found["history"])  # six steps tell nothing

    def test_a_hidden_velocity_is_found(self):
        self.answer("simulate", "cartpole", "--episodes", "150", "--seed", "3", "-o", "c.csv")
        whole = self.answer("inspect", "c.csv", "--json").json()
        self.assertFalse(whole["history"]["matters"], whole["history"])
        self.assertGreater(len(whole["calibration"]), 0)
        hidden = self.answer("inspect", "c.csv", "--state", "state_0,state_2", "--json").json()
        self.assertTrue(hidden["history"]["matters"], hidden["history"])
        self.assertGreater(hidden["history"]["gain"], 0.3)
        self.assertIn("row_before_helps", self.codes(hidden))
        shown = " ".join(self.answer("inspect", "c.csv", "--state", "state_0,state_2").out.split())
        self.assertIn("the state is not Markov", shown)
        self.assertIn("these logs can answer for", shown)

    def test_no_end_columns(self):
        self.assertIn("ends_not_logged", self.codes(self.found(small_table())))

    def test_natural_horizon(self):
        rows = []
        for i in range(40):
            length = 5 if i % 2 else 3
            for t in range(length):
                last = t == length - 1
                rows.append({"episode": i, "reward": 1, "behavior_prob": 0.5, "target_prob": 0.5,
                             "terminated": int(last and length == 3), "truncated": int(last and length == 5)})
        found = self.found(rows)
        self.assertIn("natural_horizon", self.codes(found))
        self.assertIn("same_policy", self.codes(found))
        self.assertIn("no_states", self.codes(found))
        self.assertEqual(found["ends"]["truncated"], 20)

    def test_collapsed_weights(self):
        coins = [step[0] for episode in random_episodes(4000) for step in episode]
        rows = steps([[(0, 1.0, 0.5, 0.9 if coins[40 * i + t] else 0.1) for t in range(40)] for i in range(200)])
        found = self.found(rows)
        self.assertIn("weights_collapse", self.codes(found))
        ess = [w["ess"] for w in found["weights"]]
        self.assertLess(ess[-1], 10)
        self.assertGreater(ess[0], 50)

    def test_wrong_behavior_probabilities(self):
        # Actions were drawn with probability 0.5, but 0.25 was logged: ratios are twice too large.
        rows = steps([[(a, r, 0.25, target) for a, r, _, target in episode] for episode in random_episodes(200)])
        found = self.found(rows)
        self.assertIn("behavior_prob_wrong", self.codes(found))
        honest = self.found(steps(random_episodes(200)))
        self.assertNotIn("ratio_mean", self.codes(honest))
        self.assertNotIn("behavior_prob_wrong", self.codes(honest))
        self.assertNotIn("weight_mean", self.codes(honest))

    def test_without_probabilities(self):
        rows = [{"episode": 0, "state": 1, "action": 0, "reward": 1}]
        found = self.found(rows)
        self.assertIsNone(found["ratio"])
        self.assertEqual(found["weights"], [])
        self.assertLessEqual({"no_behavior_probability", "no_target_probability"}, set(self.codes(found)))
        self.assertIn("--behavior-prob", self.answer("inspect", "d.csv").out)

    def test_discount_and_mapping(self):
        rows = [{"e": 1, "x": 0.5, "r": 4}, {"e": 1, "x": 1.5, "r": 8}]
        found = self.found(rows, "--episode", "e", "--state", "x", "--reward", "r", "--gamma", "0.5")
        self.assertEqual(found["return"]["mean"], 8.0)
        self.assertEqual(found["state"]["features"], [{"name": "x", "min": 0.5, "mean": 1.0, "max": 1.5}])

    def test_text_fits_the_terminal(self):
        rows = steps(random_episodes(50), lambda i, t: i + t)
        data = self.write_table("d.csv", rows)
        for width in (80, 120):
            shown = self.answer("inspect", data, COLUMNS=str(width)).out
            for line in shown.splitlines():
                self.assertLessEqual(len(line), width, line)
            for heading in ("Columns", "Episodes", "Actions", "Full importance weights", "Advice"):
                self.assertRegex(shown, rf"(?m)^{heading}")

    def test_same_answer_for_any_number_of_threads(self):
        data = self.write_table("d.csv", steps(random_episodes(300), lambda i, t: i + t))
        one = self.answer("inspect", data, "--json", "--threads", "1").out
        self.assertEqual(one, self.answer("inspect", data, "--json", "--threads", "2").out)


if __name__ == "__main__":
    main()
