#pragma once

// Answers from logs that are counted in parts, on several machines or at several times: count every part, add, finish.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/finding.hpp"
#include "starope/interval.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

struct ShardSums;  // the sums themselves

// The sums of some estimators over some episodes, with all that it takes to finish them: estimators, question, phi.
//
// Episodes are counted in 64 groups by the hashes of their ids. All groups together give the values; leaving out one
// after the other gives the standard errors (the delete-a-group jackknife), so that one pass over every part is enough
// and the logs are not needed any more.
class STAROPE_API ShardStatistics {
 public:
  explicit ShardStatistics(std::shared_ptr<const ShardSums> sums) : sums_(std::move(sums)) {}

  const ShardSums& sums() const noexcept { return *sums_; }
  std::int64_t episodes() const noexcept;
  std::int64_t steps() const noexcept;
  std::int64_t parts() const noexcept;  // that were added up
  const ProblemOptions& question() const noexcept;
  std::vector<std::string> estimators() const;  // as they were given
  std::vector<Finding> between_parts() const;   // what no part shows alone: episodes that several of them have

  // InvalidArgument if the other was counted with another recipe, both of which are named, or if it has a part that is
  // in here already.
  ShardStatistics& operator+=(const ShardStatistics& other);
  friend STAROPE_API bool operator==(const ShardStatistics& a, const ShardStatistics& b);

  Bytes to_bytes() const;
  static ShardStatistics from_bytes(std::span<const std::byte> bytes);  // DataError unless to_bytes wrote them

 private:
  std::shared_ptr<const ShardSums> sums_;
};

struct CountOptions {
  std::string target{};  // what the target policy is, where the logs do not say: parts of another are strangers
  std::string part{};    // the name of the part, where others may have the same sums to the bit: one episode, say
  // What all parts showed in a pass before this one, of any estimators. The part is then a sample of all: cells and
  // models are those of all parts, and what only all parts show is known, such as where their episodes are cut.
  std::optional<ShardStatistics> whole{};
  std::int64_t whole_steps = 0;     // of all parts, those after the horizon included; 0: as many as count
  std::vector<Finding> findings{};  // what the reader of the logs found
  bool checks = true;               // look for what is wrong with the logs as well
  Threads threads = Threads::all();
};

// Whether an estimator can be counted in parts: naive, is, pdis, wis, wpdis, auto, and star but for phi=time and
// rollouts.
STAROPE_API bool counts_in_parts(const Estimator& estimator);

// Counts a part of the logs. Cells, and the model of `auto`, are fitted to this part: other parts are counted like it.
// InvalidArgument for estimators that cannot be counted in parts, and for those that take their horizon from the logs
// where it must be the same for all parts.
STAROPE_API ShardStatistics count(const Source& part, const ProblemOptions& question,
                                  const std::vector<NamedEstimator>& estimators, const CountOptions& options = {});
// Counts another part with the recipe of one that was counted: its estimators, its question, its cells and models.
STAROPE_API ShardStatistics count(const Source& part, const ShardStatistics& like, const CountOptions& options = {});

// What all parts say together: values, intervals, the difference from the logged policy and the verdict.
STAROPE_API Evaluation finish(const ShardStatistics& total, const std::optional<Level>& level = Level{0.95});

// How much every episode moves what all parts say: one value per episode, for what the logged policy earned and for
// every estimator (none for one that has no answer).
struct ShardInfluence {
  std::vector<double> logged{};
  std::vector<std::vector<double>> estimators{};

  STAROPE_API ShardInfluence& operator+=(const ShardInfluence& next);  // the episodes of the next part come behind
};

// Of a part, where the sums of all parts are there: a second pass over the logs.
STAROPE_API ShardInfluence influence(const Source& part, const ShardStatistics& total,
                                     Threads threads = Threads::all());

// What all parts say together with the influence of every episode, in any order: standard errors and intervals are
// those of logs that are read at once, not those of groups. Of the options, checks and risk are not looked at.
STAROPE_API Evaluation finish(const ShardStatistics& total, const ShardInfluence& influence,
                              const EvaluateOptions& options = {});

// ---- the bootstrap -------------------------------------------------------------------------------------------------

struct ReplicatedSums;  // the sums themselves

// The sums of replicates of a bootstrap over some episodes, for every estimator that was counted. How often an episode
// counts in a replicate is a function of (seed, its id, replicate): parts add up to the replicates of all logs.
class STAROPE_API ShardReplicates {
 public:
  explicit ShardReplicates(std::shared_ptr<const ReplicatedSums> sums) : sums_(std::move(sums)) {}

  const ReplicatedSums& sums() const noexcept { return *sums_; }
  std::int64_t first() const noexcept;  // of these replicates, among all
  std::int64_t replicates() const noexcept;

  // Runs of at most so many replicates, in their order: each can be added up elsewhere.
  std::vector<ShardReplicates> split(std::int64_t most) const;

  // The same replicates of other episodes. InvalidArgument for replicates of another bootstrap or another run of them.
  ShardReplicates& operator+=(const ShardReplicates& other);

  Bytes to_bytes() const;
  static ShardReplicates from_bytes(std::span<const std::byte> bytes);  // DataError unless to_bytes wrote them

 private:
  std::shared_ptr<const ReplicatedSums> sums_;
};

// Of a part, where the sums of all parts are there: one more pass over the logs. `recipe` is bootstrap-percentile or
// bootstrap-bca without refit; InvalidArgument for others. `auto`, and a star whose replicates would take more than 512
// MB, have none, and no interval then, as where logs come in blocks.
STAROPE_API ShardReplicates count_replicates(const Source& part, const ShardStatistics& total,
                                             const IntervalRecipe& recipe, Threads threads = Threads::all());

// What every estimator says in a run of replicates.
struct ReplicateAnswers {
  struct OfEstimator {
    std::vector<double> values{};
    std::int64_t failed = 0;  // replicates in which there is no value
  };
  std::vector<OfEstimator> estimators{};

  STAROPE_API ReplicateAnswers& operator+=(const ReplicateAnswers& next);  // the next run comes behind
};

// InvalidArgument unless the replicates are of all episodes, each once.
STAROPE_API ReplicateAnswers solve_replicates(const ShardReplicates& all, const ShardStatistics& total,
                                              Threads threads = Threads::all());

// What all parts say together, with the bootstrap of options.interval.
STAROPE_API Evaluation finish(const ShardStatistics& total, const ShardInfluence& influence,
                              const ReplicateAnswers& replicates, const EvaluateOptions& options);

}  // namespace starope
