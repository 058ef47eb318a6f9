#pragma once

#include <optional>
#include <vector>

#include "starope/checks/history.hpp"
#include "starope/checks/probability_checks.hpp"
#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// What a careful statistician would find in logs before believing an answer that is made of them: probabilities that
// do not belong to the logged actions, copied episodes, rows in the wrong order, units that were mixed. One pass over
// all steps, and a look at a sample of at most `sample_steps` of them. The same findings for any number of threads.
//
// Every step counts, whatever the horizon of the question.
struct CheckOptions {
  Threads threads = Threads::all();
  std::int64_t sample_steps = 100'000;
  bool behavior_logged = true;  // false: probabilities of the behavior policy are estimates, at least some of them
};
std::vector<Finding> check_logs(const Problem& problem, const CheckOptions& options = {});

// The same where the logs may lack the probabilities that make a question of them: what they do not have is not
// checked.
std::vector<Finding> check_logs(const Dataset& data, const CheckOptions& options = {});

// Of logs that come in blocks: the findings of memory, for the same blocks (which sample is taken is a matter of the
// ids alone).
std::vector<Finding> check_logs(const Source& source, const CheckOptions& options = {});

// The same with what they were found by, and whether the state is Markov (of the sample).
struct LogChecks {
  std::vector<Finding> findings{};
  std::vector<CalibrationRow> calibration{};
  std::optional<HistoryGain> history{};
};
LogChecks look_at_logs(const Source& source, const CheckOptions& options = {});

}  // namespace starope
