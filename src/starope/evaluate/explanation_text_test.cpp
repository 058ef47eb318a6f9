#include "starope/evaluate.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(ExplanationText, SaysWhatEveryNumberMeans) {
  Evaluation evaluation;
  evaluation.estimates.push_back(
      {.estimator = "auto",
       .result = Estimate{.value = 39.5,
                          .details = {{.name = "markov", .value = true, .meaning = "the state says enough"},
                                      {.name = "ladder", .value = std::vector<double>{2, 4}, .meaning = "cells"},
                                      {.name = "gap", .value = 0.125, .meaning = "moved by"}}}});
  evaluation.estimates.push_back({.estimator = "naive", .result = Estimate{.value = 1.0}});
  evaluation.estimates.push_back({.estimator = "fqe", .result = Failure{.code = "x", .message = "y"}});
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 80}),
            "\nHow auto came to 39.5\n"
            "  the state says enough: yes [markov]\n"
            "  cells: 2 4 [ladder]\n"
            "  moved by: 0.125 [gap]\n");
}

TEST(ExplanationText, ShowsFamiliesWithTheReasonsOfTheirWeights) {
  Evaluation evaluation;
  evaluation.estimates.push_back(
      {.estimator = "auto",
       .result = Estimate{
           .value = 39.5,
           .details = {{.name = "gap", .value = 0.125, .meaning = "moved by"}},
           .families = {
               {.family = "waves", .value = 39.625, .error = 0.5, .weight = 0.9375, .reason = "its spread"},
               {.family = "other_cells", .value = -1234.5, .error = 2e3, .weight = 0.0, .reason = "finer cells"}}}});
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 80}),
            "\nHow auto came to 39.5\n"
            "  family            value       error  weight  decided by\n"
            "  waves            39.625         0.5   0.938  its spread\n"
            "  other_cells     -1234.5       2e+03   0.000  finer cells\n"
            "  moved by: 0.125 [gap]\n");
}

// The record of `auto` becomes an argument, and what is not in it is left out.
TEST(ExplanationText, IsAnArgumentForWhatAutoRecords) {
  Evaluation evaluation;
  using Series = std::vector<double>;
  evaluation.estimates = {
      {.estimator = "auto",
       .result = Estimate{.value = 39.5,
                          .std_error = 0.5,
                          .interval = Interval{38.5, 40.5, 0.95, "influence"},
                          .details = {{.name = "horizon", .value = 50.0},
                                      {.name = "ends_hidden", .value = 1.0},
                                      {.name = "ladder", .value = Series{16, 64}},
                                      {.name = "drift_significant", .value = true},
                                      {.name = "value_of_finest_levels", .value = Series{39.2, 38.7}},
                                      {.name = "unsupported", .value = 0.0},
                                      {.name = "error_score", .value = 0.3},
                                      {.name = "error_half", .value = 0.4},
                                      {.name = "error_families", .value = 0.3},
                                      {.name = "error_seeds", .value = 0.01}}}},
      {.estimator = "wis", .result = Estimate{.value = 30.0, .interval = Interval{20.0, 38.0, 0.95, "influence"}}},
      {.estimator = "wpdis", .result = Estimate{.value = 30.0, .interval = Interval{20.0, 39.0, 0.95, "influence"}}}};
  evaluation.answer = 0;
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 120}),
            "\nHow auto came to 39.5\n"
            "  Its standard error of 0.500 is made of: sampling (0.400), families that disagree (0.300).\n"
            "  Cells of 16 to 64 per abstraction answer 38.700 to 39.200: finer ones differ by more than noise, so the "
            "coarser\n"
            "    levels were left out.\n"
            "  The logs show an outcome wherever the target policy goes.\n"
            "  50 steps count; 1 end at the last of them was taken as a cut.\n"
            "  Intervals that overlap its own: wpdis.\n"
            "  Intervals apart from its own: wis.\n");
}

TEST(ExplanationText, IsEmptyWhereNobodyKeepsARecord) {
  Evaluation evaluation;
  evaluation.estimates.push_back({.estimator = "naive", .result = Estimate{.value = 1.0}});
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 80}), "");
}

}  // namespace
}  // namespace starope
