#pragma once

#include <cstdint>

#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/inference/sum_replicates.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

// Replicates of logs that come in blocks, in one pass: every replicate has sums of its own, to which a block adds its
// episodes as often as (seed, id of the episode, replicate) say. Values without standard errors. The same as in memory
// but for rounding.
Replicates replicates(const Naive& estimator, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options);
Replicates replicates(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options);

// Of a star with a given abstraction. `logs` and `question` are those up to its horizon.
Replicates replicates(const Star& star, const Phi& phi, const SeenLogs& logs, const Source& source,
                      const ProblemOptions& question, const ReplicateOptions& options);

// What the sums of so many replicates of a star take, in bytes, at most.
double replicate_bytes(const Phi& phi, const SeenLogs& logs, TimeModel time, std::int64_t replicates);

}  // namespace starope
