#pragma once

#include <cstdint>

#include "starope/auto/auto_model.hpp"
#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/problem.hpp"

namespace starope {

// To how much of the logs `auto` is fitted: to all of them while they have few steps, then to a sample of whole
// episodes (sample_episodes) that grows like the root of their number. Errors of the models enter the mean of doubly
// robust scores as products, so models that improve like n^-1/4 leave an error like n^-1/2, as sampling does
// (docs/decisions/0096).
struct AutoSample {
  std::int64_t all_up_to = 65'536;  // steps

  bool takes_all(std::int64_t steps) const noexcept { return steps <= all_up_to; }
  std::int64_t steps_of(std::int64_t steps) const;
};

// Fitted to a sample, then the mean score of all episodes. For logs of which a sample is taken.
Estimate estimate_on_sample(const Auto& automatic, const Problem& problem, const EstimateOptions& options,
                            const AutoSample& sample = {});

// The same for logs in blocks, in memory or not: the same bits.
Estimate estimate(const Auto& automatic, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options, const AutoSample& sample);

}  // namespace starope
