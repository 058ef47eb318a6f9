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

TEST(ExplanationText, IsEmptyWhereNobodyKeepsARecord) {
  Evaluation evaluation;
  evaluation.estimates.push_back({.estimator = "naive", .result = Estimate{.value = 1.0}});
  EXPECT_EQ(explanation(evaluation, TextStyle{.width = 80}), "");
}

}  // namespace
}  // namespace starope
