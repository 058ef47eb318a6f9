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

TEST(ExplanationText, IsEmptyWhereNobodyKeepsARecord) {
  Evaluation evaluation;
  evaluation.estimates.push_back({.estimator = "naive", .result = Estimate{.value = 1.0}});
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 80}), "");
}

}  // namespace
}  // namespace starope
