#include <gtest/gtest.h>

#include "starope/compare.hpp"

namespace starope {
namespace {

TEST(CompareText, HasARowForEachPolicyAndPair) {
  Comparison comparison;
  comparison.data.file = "logs.csv";
  comparison.data.episodes = 7;
  comparison.data.steps = 9;
  comparison.level = 0.95;
  const auto estimate = [](double value) {
    return Answer{.result = Estimate{.value = value, .std_error = 0.5, .interval = Interval{value - 1.0, value + 1.0}}};
  };
  comparison.policies = {
      {.policy = "logged", .answer = estimate(1.0), .rank = 3, .probability_best = 0.1},
      {.policy = "new", .answer = estimate(3.0), .verdict = Verdict{}, .rank = 1, .probability_best = 0.6},
      {.policy = "bold", .answer = estimate(2.0), .verdict = Verdict{}, .rank = 2, .probability_best = 0.3}};
  const auto pair = [](std::size_t first, std::size_t second, double value) {
    return PolicyDifference{.first = first,
                            .second = second,
                            .difference = {.value = value,
                                           .std_error = 0.5,
                                           .interval = Interval{value - 1.5, value + 1.5},
                                           .probability_better = 0.9},
                            .told_apart = value > 1.5};
  };
  comparison.differences = {pair(1, 0, 2.0), pair(2, 0, 1.0), pair(1, 2, 1.0)};
  comparison.ranking = {1, 2, 0};
  EXPECT_EQ(text(comparison, {.width = 120}),
            "new has the largest value, 3.00 per episode; the probability that it is the best is 60 %.\n"
            "\n"
            "logs.csv: 7 episodes, 9 steps\n"
            "\n"
            "                                    more than                   best with\n"
            "rank  policy  value  95 % interval     logged  95 % interval  probability  verdict\n"
            "------------------------------------------------------------------------------------\n"
            "   1  new      3.00   2.00 to 4.00       2.00   0.50 to 3.50         60 %  Supported\n"
            "   2  bold     2.00   1.00 to 3.00       1.00  -0.50 to 2.50         30 %  Supported\n"
            "   3  logged   1.00   0.00 to 2.00                                   10 %\n"
            "\n"
            "                                           first better\n"
            "pair        difference  95 % interval  with probability  told apart\n"
            "-------------------------------------------------------------------\n"
            "new - bold        1.00  -0.50 to 2.50              90 %  no\n"
            "\n"
            "Intervals of the values hold for all policies at once, those of the differences for all pairs. logged is "
            "what the logged\n"
            "policy earned.\n");
}

}  // namespace
}  // namespace starope
