#pragma once

#include <optional>
#include <string>

#include "starope/estimators/importance_sums.hpp"
#include "starope/estimators/score_sums.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/types.hpp"

namespace starope {

// The folds of naive, is and pdis, which are means of scores.
ScoreFold<ReturnScore> return_fold(const std::string& name, const ProblemOptions& question);
// Which of them sums are of; their recipe says it.
ScoreFold<ReturnScore> return_fold(const ScoreSums& sums);

// What the sums of all parts say together: values, standard errors by leaving out one group of episodes after the
// other, the difference from the logged policy by the same, and the verdict.
Evaluation finish(const ShardSums& sums, const std::optional<Level>& level);
// The same with standard errors by the influence of every episode.
Evaluation finish(const ShardSums& sums, const ShardInfluence& influence, const EvaluateOptions& options);
// The same with the intervals of a bootstrap.
Evaluation finish(const ShardSums& sums, const ShardInfluence& influence, const ReplicateAnswers& replicates,
                  const EvaluateOptions& options);

template <class Sums>
Sums total_of(const Grouped<Sums>& groups) {
  Sums total = groups.front();
  for (std::size_t g = 1; g < groups.size(); ++g) total += groups[g];
  return total;
}

}  // namespace starope
