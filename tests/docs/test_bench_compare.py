"""Unit tests of tools/bench_compare.py: its arithmetic, on numbers whose answer is known. Nothing is timed."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import bench_compare as bench  # noqa: E402


class Ratios(unittest.TestCase):
    def test_the_same_times_have_the_ratio_one(self):
        self.assertEqual(bench.ratio_of([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), bench.Ratio(1.0, 1.0, 1.0))

    def test_pairs_cancel_what_both_met(self):
        old = [1.0, 5.0, 1.2, 9.0, 1.1]  # a machine that is busy now and then
        ratio = bench.ratio_of([0.5 * each for each in old], old)
        self.assertEqual((ratio.lower, ratio.median, ratio.upper), (0.5, 0.5, 0.5))
        self.assertFalse(ratio.wide(0.05))

    def test_noise_is_told_as_wide(self):
        ratio = bench.ratio_of([1.0, 1.3, 0.8, 1.0, 1.25, 0.9, 1.0], [1.0] * 7)
        self.assertTrue(ratio.lower < 1.0 <= ratio.upper)
        self.assertTrue(ratio.wide(0.05))

    def test_medians(self):
        self.assertEqual(bench.median([3.0, 1.0, 2.0]), 2.0)
        self.assertEqual(bench.median([4.0, 1.0, 2.0, 3.0]), 2.5)

    def test_instructions_are_read_from_callgrind(self):
        self.assertEqual(bench.counted_in("==7== Events    : Ir\n==7== Collected : 171234567\n"), 171234567)
        self.assertIsNone(bench.counted_in("valgrind: no such program"))

    def test_answers_are_compared_without_their_seconds(self):
        one = '{"estimates": [{"value": 1.5, "seconds": 0.25}], "version": "0.1.0"}'
        self.assertTrue(bench.same_answer(one, one.replace("0.25", "0.5").replace("0.1.0", "0.2.0")))
        self.assertFalse(bench.same_answer(one, one.replace("1.5", "1.6")))


if __name__ == "__main__":
    unittest.main()
