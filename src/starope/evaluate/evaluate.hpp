#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/evaluate/estimator_text.hpp"
#include "starope/evaluate/evaluation.hpp"

namespace starope {

struct EvaluateProgress {
  std::size_t number = 0;  // of the estimator that comes next, from 1
  std::size_t total = 0;
  std::string estimator{};
};

struct EvaluateOptions {
  std::optional<Level> level = Level{0.95};  // of the intervals; empty: none are made
  bool interval_findings = true;             // estimates say where their intervals are not to be trusted
  bool details = false;                      // also effective sample sizes by step, and the processes behind each star
  bool influence = false;                    // estimates keep their influence values
  bool seconds = false;                      // answers have the processor time they took
  Threads threads = Threads::all();
  std::string file{};  // where the logs come from, for who reads the answer
  std::function<void(const EvaluateProgress&)> progress{};
};

// What all estimators answer on one problem, in the order given. One that throws has a failure for an answer (memory
// that runs out included); the others go on.
//
// Work is shared where the answer is the same: all `star`s with the same abstraction (options, seed and states that
// count) use one labelling and one pass over the logs, so a grid of |Z| x clips costs one k-means per |Z|; all
// estimators with the same fitted Q-function use one fit, fits to the same features make them once, and features that
// are clusters are the labels of a `star`.
Evaluation evaluate(const Problem& problem, const std::vector<RequestedEstimator>& estimators,
                    const EvaluateOptions& options = {});
Evaluation evaluate(const Problem& problem, const std::vector<NamedEstimator>& estimators,
                    const EvaluateOptions& options = {});

}  // namespace starope
