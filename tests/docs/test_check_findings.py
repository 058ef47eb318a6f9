"""Unit tests of check_findings.py."""

import unittest

import check_findings

PAGE = """| code | severity | found if | sentence |
|---|---|---|---|
| `low_ess` | warning/critical | few | Of {episodes} episodes, {ess} count. |
| `no_spread` | warning | all alike | Zero. |
| `fixed_length` | info | the clock | After {steps} steps [ends=kept: they end. / ends=hidden: they do not.] |
"""
LOW = 'push({x < 2.0 ? Severity::critical : Severity::warning,\n "low_ess", {{"ess", f(x, {1})}, {"episodes", n}}});\n'
NONE = '{Severity::warning, "no_spread"};\n'
FIXED = 'add(Severity::info, "fixed_length", {{"steps", n}, {"ends", "kept"}});\n'


class CheckFindings(unittest.TestCase):
    def expect(self, sources: list[str], *parts: str):
        wrong = check_findings.differences(PAGE, sources)
        self.assertEqual(len(wrong), len(parts), wrong)
        for line, part in zip(wrong, parts):
            self.assertIn(part, line)

    def test_what_agrees_passes(self):
        self.expect([LOW, NONE + FIXED])

    def test_codes_must_be_the_same_on_both_sides(self):
        self.expect([LOW, NONE, FIXED, '{Severity::info, "other"}'], "other is made but not")
        self.expect([LOW, NONE], "fixed_length is in the catalog but never made")

    def test_severities_must_agree(self):
        self.expect([LOW, NONE.replace("warning", "info"), FIXED], "no_spread is made as info")

    def test_every_place_gives_all_parameters(self):
        self.expect([LOW, NONE, FIXED, FIXED.replace("steps", "step")], "fixed_length is made with ends, step")
        self.expect([LOW, FIXED, NONE.replace('"}', '", {{"n", 1}}}')], "no_spread is made with n")
        self.expect([LOW, NONE, FIXED, '{Severity::warning, "low_ess"}'], "low_ess is made with no parameters")


if __name__ == "__main__":
    unittest.main()
