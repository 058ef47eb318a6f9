#pragma once

#include <string>
#include <variant>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/evaluate/estimator_text.hpp"

namespace starope {

struct EstimateFailure {
  std::string code{};
  std::string message{};
};

struct TimedEstimate {
  std::variant<Estimate, EstimateFailure> result{};  // an estimate has an interval, and its value is a number
  double seconds = 0.0;                              // of processor time; of shared work an equal part
};

// Every estimator on one problem, in the order given. Work is shared where the answer is the same: all `star`s with the
// same abstraction (options, seed and states that count) use one labelling, so a grid of |Z| x clips costs one k-means
// per |Z|; all estimators with the same fitted Q-function use one fit, fits to the same features make them once, and
// features that are clusters are the labels of a `star`. An estimator that throws has a failure for an
// answer; the others go on.
std::vector<TimedEstimate> shared_estimates(const std::vector<NamedEstimator>& estimators, const Problem& problem,
                                            Level level, Threads threads = Threads{1});

}  // namespace starope
