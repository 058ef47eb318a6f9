#pragma once

#include <cstdint>

#include "starope/estimators.hpp"
#include "starope/inference/bootstrap_interval.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

struct ReplicateOptions {
  std::int64_t replicates = 1000;
  Seed seed{};
  bool errors = false;  // also the standard error of each
  Threads threads = Threads::all();
};

// The whole estimator in every replicate, from sums in which each episode counts Poisson(1) times: the number of
// episodes and the sums of weights it divides by are those of the replicate.
Replicates replicates(const Naive& estimator, const Problem& problem, const ReplicateOptions& options);
Replicates replicates(const ImportanceSampling& estimator, const Problem& problem, const ReplicateOptions& options);

}  // namespace starope
