#pragma once

#include <cstdint>

#include "starope/auto/auto_model.hpp"
#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/problem.hpp"

namespace starope {

// To how much of the logs `auto` is fitted: to all of them while they have few steps, then to a sample of whole
// episodes (sample_episodes) of so many. Its size bounds the memory of the fit, whatever the logs, and does not depend
// on the memory there is: then neither does the answer (docs/decisions/0142).
struct AutoSample {
  std::int64_t all_up_to = 262'144;  // steps

  bool takes_all(std::int64_t steps) const noexcept { return steps <= all_up_to; }
  std::int64_t steps_of(std::int64_t steps) const;
  // The steps of a sample, those after the horizon included, of logs of which `counting` of `logged` steps count.
  std::int64_t logged_steps_of(std::int64_t counting, std::int64_t logged) const;
};

// Fitted to a sample, then the mean score of all episodes. For logs of which a sample is taken.
Estimate estimate_on_sample(const Auto& automatic, const Problem& problem, const EstimateOptions& options,
                            const AutoSample& sample = {});

// The same for logs in blocks, in memory or not: the same bits.
Estimate estimate(const Auto& automatic, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options, const AutoSample& sample);

// The model of these logs, to score others with it, and what it says of these.
struct FittedAuto {
  AutoModel model;
  Estimate estimate{};
};
FittedAuto fit_model(const Auto& automatic, const Source& source, const ProblemOptions& question,
                     const EstimateOptions& options, const AutoSample& sample = {});
// All logs, of which some are at hand: what they showed, and how many steps they have whatever the horizon.
struct WholeLogs {
  const SeenLogs& seen;
  std::int64_t steps = 0;
};
// The same as of all logs, from a sample that has all episodes that the rule above chooses of them.
FittedAuto fit_model_to_sample(const Auto& automatic, const Source& sample, const ProblemOptions& question,
                               const EstimateOptions& options, const WholeLogs& whole, const AutoSample& rule = {});

}  // namespace starope
