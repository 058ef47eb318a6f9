#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli11_fwd.hpp"
#include "logs.hpp"
#include "starope/behavior.hpp"
#include "starope/evaluate.hpp"

namespace starope::cli {

// --behavior: with which probabilities actions were chosen, as logged or from the logged actions.
struct BehaviorFlag {
  std::string how = "logged";

  // None where the logged probabilities are used; UsageError where `how` says nothing.
  std::optional<BehaviorRecipe> recipe(Seed seed, const char* command) const;
};

// The flag; with it other columns are read: none of the behavior policy, or those that may have gaps.
void add_behavior_flag(CLI::App& page, BehaviorFlag& flag, io::ReadOptions& columns);

// The answers of logs in memory or in blocks. `watched`: the blocks, where there are any. FileError where these do not
// suffice for what is asked.
Evaluation evaluate_logs(const LogsRequest& asked, const Logs& logs, const std::optional<Source>& watched,
                         const std::optional<BehaviorRecipe>& behavior, const ProblemOptions& question,
                         const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options);

}  // namespace starope::cli
