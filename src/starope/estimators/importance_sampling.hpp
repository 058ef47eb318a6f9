#pragma once

#include "starope/data/problem.hpp"
#include "starope/data/source.hpp"
#include "starope/estimators/estimate.hpp"

namespace starope {

// The uncorrected mean of the logged returns: what the behaviour policy earned.
struct Naive {
  friend bool operator==(const Naive&, const Naive&) = default;
};

// is, wis, pdis and wpdis. After an episode has ended its running product stays at its last value.
struct ImportanceSampling {
  bool weighted = false;      // divide by the sum of the weights instead of the number of episodes
  bool per_decision = false;  // weigh every reward by the ratios up to it instead of by those of the whole episode
  friend bool operator==(const ImportanceSampling&, const ImportanceSampling&) = default;
};

Estimate estimate(const Naive& estimator, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const ImportanceSampling& estimator, const Problem& problem, const EstimateOptions& options = {});

// The same for logs that come in blocks: the numbers of the same logs in memory, to the bit.
Estimate estimate(const Naive& estimator, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options = {});
Estimate estimate(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options = {});

}  // namespace starope
