"""Unit tests of tools/study_tables.py."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import study_tables  # noqa: E402


def estimator(name, mse, failures=0, mean=10.0):
    return {"estimator": name, "trials": 200, "failures": failures, "mean": mean, "mse": mse,
            "mse_std_error": None if mse is None else mse / 10, "coverage": 0.945, "seconds": 0.3}


def case(**changes):
    stars = [estimator(f"star(clusters={k},clip=1)", mse) for k, mse in ((2, 8.0), (4, 2.0), (8, 4.0), (16, 90.0))]
    others = [estimator("mb", 3.0), estimator("dr(q=mb)", 0.01, failures=1), estimator("fqe", None, failures=200)]
    return {"domain": "cartpole", "size": 10000, "truth": {"value": 10.5}, "winner": "auto", "families": [],
            "estimators": [estimator("naive", 1234.4), estimator("auto", 0.5)] + stars + others, **changes}


class StudyTables(unittest.TestCase):
    def test_numbers_have_two_digits(self):
        shown = {0: "0", 1234.4: "1200", 0.0123456: "0.012", 0.5: "0.5", 4.94e-5: "4.9e-5", 3.26e7: "3.3e7", -0.46: "-0.46"}
        for number, text in shown.items():
            self.assertEqual(study_tables.short(number), text)

    def test_a_row_shows_auto_its_bias_and_coverage_the_classical_and_the_grid(self):
        self.assertEqual(study_tables.row(case()),
                         ["cartpole 10,000", "200", "**0.5 ± 0.05**", "-0.5", "0.94", "1200 ± 120", "", "", "", "",
                          "2 ± 0.2", "4 ± 0.4"])

    def test_best_and_median_are_those_of_the_first_family_if_there_are_families(self):
        families = [{"best": "star(clusters=8,clip=1)", "median": "star(clusters=2,clip=1)"}, {"best": "mb", "median": "mb"}]
        best, median = study_tables.best_and_median(case(families=families))
        self.assertEqual((best["mse"], median["mse"]), (4.0, 8.0))

    def test_the_smallest_error_of_a_row_is_bold(self):
        better = case()
        better["estimators"][0]["mse"] = 0.1
        self.assertEqual(study_tables.with_the_best_bold(study_tables.compared(better))[:2], ["0.5 ± 0.05", "**0.1 ± 120**"])

    def test_beside_the_paper_stand_both_grids_and_its_readings(self):
        families = [{"best": "star(clusters=4,clip=1)", "median": "star(clusters=8,clip=1)"},
                    {"best": "star(clusters=2,clip=1)", "median": "star(clusters=16,clip=1)"}]
        paper = {"star_best": 0.1, "star_best_below": True, "star_median": 0.7, "baseline": "FQE", "baseline_best": 9.5}
        line = study_tables.baseline_table([case(families=families, paper=paper)])[2]
        self.assertEqual(line, "| cartpole 10,000 | `mb` | 3 ± 0.3 | `star(clusters=4,clip=1)` | 2 ± 0.2 | 4 ± 0.4 | 8 / 90 "
                               "| `auto` | <0.1 / 0.7 | FQE 9.5 |")

    def test_a_baseline_that_failed_is_not_the_best_one(self):
        self.assertEqual(study_tables.best_other(case())["estimator"], "mb")
        self.assertEqual(study_tables.cell(study_tables.find(case(), "fqe")), "failed")

    def test_intervals_that_miss_in_silence_and_hits_that_are_warned_of_are_counted(self):
        """Of five answers one is a quiet hit, one a warned hit, two miss in silence (a note is no warning), one misses with a warning."""
        def result(lower, *findings, **changes):
            return {"kind": "result", "domain": "cartpole", "size": 10000, "estimator": "auto", "value": lower + 1, "findings": findings,
                    "interval": {"lower": lower, "upper": lower + 2}, **changes}
        lines = [{"kind": "study"}, {"kind": "truth", "domain": "cartpole", "value": 10.5}, result(9.0), result(9.0, "a_note", "a_warning"), result(1.0),
                 result(11.0, "a_note"), result(11.0, "a_warning"), result(1.0, estimator="naive"), {**result(9.0), "domain": "queue", "size": 5}]
        with tempfile.TemporaryDirectory() as folder:
            results, findings = Path(folder) / "results.jsonl", Path(folder) / "findings.md"
            findings.write_text("| code | severity |\n|---|---|\n| `a_note` | info/warning | x |\n| `a_warning` | warning/critical | x |\n", encoding="utf-8")
            results.write_text("".join(json.dumps(line) + "\n" for line in [{"kind": "truth", "domain": "queue", "value": 0.0}, *lines]), encoding="utf-8")
            self.assertEqual(study_tables.notes(findings), {"a_note"})
            counts = study_tables.outcomes(results, {"a_note"})
        self.assertEqual(counts["cartpole", 10000], {"warned_hits": 1, "silent_misses": 2})
        self.assertEqual(counts["queue", 5], {"warned_hits": 0, "silent_misses": 1})
        self.assertEqual(study_tables.main_table([case()], counts)[2],
                         "| cartpole 10,000 | 200 | **0.5 ± 0.05** | -0.5 | 0.94 | 1 | 2 | 1200 ± 120 | 2 ± 0.2 | 4 ± 0.4 |")

    def test_only_what_lies_between_the_marks_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            page, summary = Path(folder) / "page.md", Path(folder) / "summary.json"
            page.write_text("before\n<!-- paper -->\nold\n<!-- /paper -->\nafter\n", encoding="utf-8")
            summary.write_text(json.dumps({"cases": [case()]}), encoding="utf-8")
            study_tables.main(summary, "paper", page)
            text = page.read_text(encoding="utf-8")
            study_tables.main(summary, "paper", page)
            self.assertEqual(page.read_text(encoding="utf-8"), text)
        self.assertTrue(text.startswith("before\n<!-- paper -->\n| case |"))
        self.assertTrue(text.endswith("<!-- /paper -->\nafter\n"))
        self.assertNotIn("old", text)
        # Nine estimators, 200 trials, 0.3 s each.
        self.assertIn("without simulation: 9 minutes.", text)


if __name__ == "__main__":
    unittest.main()
