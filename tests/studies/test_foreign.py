"""Unit tests of studies/own_logs.py and of studies/foreign/judge.py and tables.py on made-up results, computed by hand."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

FOREIGN = Path(__file__).resolve().parents[2] / "studies" / "foreign"
sys.path[:0] = [str(FOREIGN), str(FOREIGN.parent)]
import judge  # noqa: E402
import own_logs  # noqa: E402
import tables  # noqa: E402

TRUTHS = {"pole": {"half": "decide", "horizon": 200, "value": 10.0, "std_error": 0.5},
          "lake": {"half": "aside", "horizon": 100, "value": 0.0, "std_error": 0.0}}


def estimate(name, value, lower, upper, *findings):
    return {"estimator": name, "value": value, "std_error": 1.0, "lower": lower, "upper": upper,
            "findings": [list(f) for f in findings]}


def log(world, size, seed, estimates, data=()):
    return {"world": world, "size": size, "seed": seed, "data": [list(f) for f in data], "estimates": estimates}


WARNING, INFO, CRITICAL = ("warning", "low_ess"), ("info", "history_possible"), ("critical", "drift")

# pole 100: auto misses twice (13: silently, an info is no warning; 6: warned), covers once with a warning of the data.
POLE = [log("pole", 100, 0, [estimate("auto", 13, 12, 14, INFO), estimate("fqe", 11, 10, 12)]),
        log("pole", 100, 1, [estimate("auto", 6, 5, 7, CRITICAL), estimate("fqe", 9, 8, 10)]),
        log("pole", 100, 2, [estimate("auto", 10, 8, 12), estimate("fqe", 10, 9, 11)], [WARNING])]
LAKE = [log("lake", 1000, 0, [estimate("auto", 1, -1, 3), estimate("fqe", 2, 1, 3)]),
        log("lake", 1000, 1, [estimate("auto", -1, -3, 1), {"estimator": "fqe", "error": "x", "findings": []}])]


class Tables(unittest.TestCase):
    def cell(self):
        return tables.cell_summary(POLE, TRUTHS["pole"], ["auto", "fqe"])

    def test_errors_bias_and_width(self):
        cell = self.cell()
        self.assertAlmostEqual(cell["errors"]["auto"], (25 / 3) ** 0.5)  # errors 3, -4, 0
        self.assertAlmostEqual(cell["errors"]["fqe"], (2 / 3) ** 0.5)  # errors 1, -1, 0
        self.assertAlmostEqual(cell["bias"], -1 / 3)
        self.assertAlmostEqual(cell["width"], 8 / 3)
        self.assertEqual(cell["best"], "fqe")
        self.assertAlmostEqual(cell["ratio"], 12.5**0.5)

    def test_misses_and_hits_with_and_without_a_warning(self):
        cell = self.cell()
        self.assertEqual([cell[key] for key in ("logs", "failed", "hits", "silent", "warned_hits", "warned")], [3, 0, 1, 1, 1, 2])

    def test_the_error_of_the_truth_widens_the_interval(self):
        near = estimate("auto", 12, 10.9, 13)  # the truth is 10 +- 0.98
        self.assertTrue(tables.covers(near, TRUTHS["pole"]))
        self.assertFalse(tables.covers(near, {**TRUTHS["pole"], "std_error": 0.4}))
        self.assertFalse(tables.covers(estimate("auto", 10, None, None), TRUTHS["pole"]))

    def test_an_estimator_that_failed_once_is_not_the_best(self):
        cell = tables.cell_summary(LAKE, TRUTHS["lake"], ["auto", "fqe"])
        self.assertIsNone(cell["errors"]["fqe"])
        self.assertEqual((cell["best"], cell["ratio"], cell["hits"]), ("auto", 1.0, 2))

    def test_a_log_without_an_answer_is_counted_as_failed(self):
        broken = {"world": "lake", "size": 1000, "seed": 2, "error": "no", "data": [], "estimates": []}
        cell = tables.cell_summary(LAKE + [broken], TRUTHS["lake"], ["auto", "fqe"])
        self.assertEqual((cell["logs"], cell["failed"], cell["hits"], cell["best"]), (3, 1, 2, "auto"))
        self.assertIn("lake 1000 2: no", tables.page(LAKE + [broken], TRUTHS))

    def test_the_aims(self):
        lines = POLE + LAKE
        names = ["auto", "fqe"]
        total = tables.overall([tables.cell_summary(POLE, TRUTHS["pole"], names), tables.cell_summary(LAKE, TRUTHS["lake"], names)])
        self.assertEqual((total["logs"], total["cells"], total["cells_at_90"]), (5, 2, 0.5))
        self.assertAlmostEqual(total["covered"], 3 / 5)
        self.assertAlmostEqual(total["silent"], 1 / 5)
        self.assertAlmostEqual(total["warned_hits"], 1 / 3)
        self.assertAlmostEqual(total["median_ratio"], (1 + 12.5**0.5) / 2)
        self.assertAlmostEqual(total["worst_quiet_ratio"], 12.5**0.5)
        self.assertEqual(dict(total["wins"]), {"fqe": 1, "auto": 1})
        self.assertIn("| pole | 100 | 10 | 2.89 | **0.816** | 3.54 |", tables.page(lines, TRUTHS))

    def test_where_every_log_is_warned_the_ratio_is_not_a_quiet_one(self):
        loud = [log("pole", 100, 0, [estimate("auto", 13, 12, 14, WARNING), estimate("fqe", 11, 10, 12)])]
        total = tables.overall([tables.cell_summary(loud, TRUTHS["pole"], ["auto", "fqe"])])
        self.assertEqual((total["worst_ratio"], total["worst_quiet_ratio"]), (3.0, None))

    def test_findings_are_counted_on_misses_and_hits(self):
        counts, totals = tables.finding_counts(POLE, TRUTHS)
        self.assertEqual(totals, [2, 1])
        self.assertEqual(counts, {INFO: [1, 0], CRITICAL: [1, 0], WARNING: [0, 1]})

    def test_against_an_earlier_run_on_the_same_logs(self):
        before = [log("pole", 100, 0, [estimate("auto", 16, 15, 17)]), log("pole", 100, 1, [estimate("auto", 2, 1, 3)]),
                  log("pole", 100, 2, [estimate("auto", 10, 9, 11)])]
        result = tables.compared(POLE, before, TRUTHS)
        self.assertEqual((result["width_ratio"], result["hits_before"]), (2.0, 1))
        self.assertAlmostEqual(result["error_ratio"], 0.5)  # errors 6, -8, 0 before
        self.assertIn("| error / before | 0.5 (geometric mean over cells) |", tables.page(POLE, TRUTHS, before))


class Judge(unittest.TestCase):
    def test_only_the_named_half_is_run_small_logs_first_and_none_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pole.1000.0", "pole.100.1", "pole.100.0", "lake.100.0", "other.100.0", "partial-pole.100.7"):
                (Path(folder) / (name + ".npz")).touch()
            run = lambda *rest: [p.name for p in judge.wanted(Path(folder), TRUTHS, *rest)]  # noqa: E731
            self.assertEqual(run(["decide"], set(), None, {("pole", 100, 0)}), ["pole.100.1.npz", "pole.1000.0.npz"])
            self.assertEqual(run(["lake", "decide"], {100}, 1, set()), ["lake.100.0.npz", "pole.100.0.npz"])

    def test_a_line_keeps_values_intervals_codes_and_errors(self):
        answer = {"data": {"findings": [{"severity": "info", "code": "a", "message": "m"}]},
                  "estimates": [{"estimator": "auto", "value": 1.5, "std_error": 0.5, "interval": {"lower": 0.5, "upper": 2.5},
                                 "findings": [{"severity": "warning", "code": "b"}]},
                                {"estimator": "mb", "error": {"code": "needs", "message": "m"}}]}
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(f"#!{sys.executable}\nimport sys\nassert sys.argv[4] == '200' and sys.argv[6] == '0.9', sys.argv\nprint({json.dumps(answer)!r})\n")
            os.chmod(program, 0o755)
            line = judge.evaluate(str(program), Path("pole.100.3.npz"), {"horizon": 200, "discount": "0.9"}, "auto,mb", 60)
            broken = judge.evaluate(str(program), Path("pole.100.3.npz"), {"horizon": 199, "discount": "0.9"}, "auto,mb", 60)
        self.assertEqual((line["world"], line["size"], line["seed"], line["data"]), ("pole", 100, 3, [["info", "a"]]))
        self.assertEqual(line["estimates"], [{"estimator": "auto", "findings": [["warning", "b"]], "value": 1.5, "std_error": 0.5,
                                              "lower": 0.5, "upper": 2.5}, {"estimator": "mb", "findings": [], "error": "needs"}])
        self.assertIn("AssertionError", broken["error"])

    def test_estimators_that_were_not_asked_are_kept_from_an_earlier_run(self):
        line = judge.completed(log("pole", 100, 0, [estimate("auto", 12, 11, 13)]), POLE[0])
        self.assertEqual([(e["estimator"], e["value"]) for e in line["estimates"]], [("auto", 12), ("fqe", 11)])
        self.assertEqual(judge.completed(POLE[1], None), POLE[1])

    def test_every_world_has_both_truths_and_half_of_them_are_aside(self):
        truths = judge.read_truths(FOREIGN / "truths.csv")
        halves = [truth["half"] for truth in truths.values()]
        self.assertGreaterEqual(halves.count("decide"), 10)
        self.assertGreaterEqual(halves.count("aside"), 10)
        self.assertEqual(set(halves), {"decide", "aside"})
        self.assertEqual({truth["discount"] for truth in truths.values()}, {"1"})


class OwnLogs(unittest.TestCase):
    def test_what_the_program_says_of_a_log_becomes_a_truth_that_the_judge_reads(self):
        said = {"exact": "starope: target policy greedy(0.1): true value 0.31295846 (exact; discount 0.98)",
                "by rollouts": "starope: target policy follow: true value 39.2967 +- 0.0052 (4,000,000 simulated episodes, seed 2024; discount 1)"}
        with tempfile.TemporaryDirectory() as folder:
            program, found = Path(folder) / "program", {}
            for world, line in said.items():
                first = f"starope: wrote x.npz: 10 episodes, 224 steps of a world (horizon 25, seed 1)\nstarope: behavior policy b: true value 5 (exact; discount 1)\n{line}"
                program.write_text(f"#!{sys.executable}\nimport sys\nprint({first!r}, file=sys.stderr)\n")
                os.chmod(program, 0o755)
                found[world] = own_logs.simulate(str(program), world, 10, 1, Path(folder) / "x.npz")
            own_logs.write_truths(found.values(), Path(folder) / "truths.csv")
            truths = judge.read_truths(Path(folder) / "truths.csv")
        self.assertEqual(truths["exact"], {"half": "own", "horizon": 25, "value": 0.31295846, "std_error": 0.0, "discount": "0.98"})
        self.assertEqual(truths["by rollouts"], {"half": "own", "horizon": 25, "value": 39.2967, "std_error": 0.0052, "discount": "1"})


if __name__ == "__main__":
    unittest.main()
