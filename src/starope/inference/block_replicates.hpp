#pragma once

#include <cstdint>
#include <optional>

#include "starope/arp/arp_statistic.hpp"
#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/estimators/score_sums.hpp"
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

// What the sums of one replicate say; nothing where no episode counts in it. DegenerateModel where no value exists.
std::optional<double> replicate_value(const ScoreSums& sums);
std::optional<double> replicate_value(const WisSums& sums);
std::optional<double> replicate_value(const WpdisSums& sums);
std::optional<double> replicate_value(const Star& star, const ArpStatistic& sums, const ProblemOptions& question);

inline constexpr std::int64_t usual_block_replicates = 1000;
inline constexpr double most_replicate_bytes = 512e6;  // more than that no star takes: it has no such interval

// What the sums of so many replicates of a star take, in bytes, at most.
double replicate_bytes(const Phi& phi, const SeenLogs& logs, TimeModel time, std::int64_t replicates);

}  // namespace starope
