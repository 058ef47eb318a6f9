#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/study/paper_figures.hpp"
#include "starope/study/results_file.hpp"

namespace starope {

// How an estimator did in one case (domain and size), over its trials.
struct EstimatorSummary {
  std::string estimator{};
  std::int64_t trials = 0;    // with an answer
  std::int64_t failures = 0;  // without
  double mean = 0.0;          // of the answers
  double variance = 0.0;      // mean squared deviation from that mean, so that MSE = bias^2 + variance
  // Against the true value; absent where that is not known or no trial has an answer.
  std::optional<double> mse{}, mse_std_error{}, bias{};
  std::optional<double> coverage{};  // share of the intervals that hold the true value
  double seconds = 0.0;              // mean of the trials
};

// The estimators that differ in `clusters` and `clip` only: a grid of the paper.
struct FamilySummary {
  std::string family{};                // "star(horizon=none)"
  std::vector<std::size_t> members{};  // of the case's estimators, best first; an unfinished or failing one is last
  std::size_t best = 0, median = 0;    // of the case's estimators; the lower one of an even number
};

struct CaseSummary {
  std::string domain{};
  std::int64_t size = 0;
  std::optional<StudyTruth> truth{};
  std::vector<EstimatorSummary> estimators{};  // in the order of the study
  std::vector<FamilySummary> families{};
  // Positions of the smallest MSEs: of all, of those that are neither a `star` nor `auto`, and of `auto`.
  // Who failed in a trial does not win.
  std::optional<std::size_t> winner{}, best_baseline{}, automatic{};
  // Without naive, which corrects nothing: the paper does not compare with it.
  std::optional<std::size_t> best_correcting_baseline{};
  std::optional<PaperReading> paper{};
};

struct StudySummary {
  std::string study{};
  std::vector<CaseSummary> cases{};  // domains in the order of the file, sizes ascending
  std::int64_t results = 0;
  std::int64_t failures = 0;
};

StudySummary summarise(const StudyResults& results);

// As one JSON object, schema "starope.study-summary/1".
std::string summary_json(const StudySummary& summary);

}  // namespace starope
