#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

struct Interval {
  double lower = 0.0;
  double upper = 0.0;
  double level = 0.95;
  std::string method{};  // "influence"
};

// The values that are possible at all, whatever the policy.
struct ValueRange {
  double lower = 0.0;
  double upper = 0.0;
};

// How an estimator came to its answer, for those who ask: a number (or word, or series) with a name for programs and a
// meaning for people.
struct Detail {
  std::string name{};  // "markov_delta"
  std::variant<double, bool, std::string, std::vector<double>> value{};
  std::string meaning{};  // "how far a window of two ratios moves the estimate"
};

// What an estimator answers. `influence` holds one value per episode: how much the estimate would change, times the
// number of episodes, if the episode counted a little more; they sum to zero, and their spread is the standard error
// (an estimator that knows of other errors as well has a larger one).
struct Estimate {
  std::string estimator{};  // the string that was given
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  std::optional<ValueRange> range{};  // the interval stays within it
  std::optional<double> ess{};        // effective number of episodes behind the weights this estimator uses
  std::vector<Finding> findings{};
  std::vector<double> influence{};
  std::optional<ScoreMoments> spread{};  // of the influence values, where they are too many to be kept
  std::vector<Detail> details{};
};

struct EstimateOptions {
  Threads threads = Threads::all();
  bool keep_influence = false;  // one value per episode for logs that come in blocks, too; in memory it always is
};

// How many episodes the standard error rests on, and how many there are.
inline double effective_scores(const Estimate& estimate) {
  return estimate.influence.empty() && estimate.spread ? estimate.spread->effective_scores()
                                                       : effective_scores(estimate.influence);
}
inline std::int64_t scored_episodes(const Estimate& estimate) {
  return estimate.influence.empty() && estimate.spread ? estimate.spread->plain().count()
                                                       : static_cast<std::int64_t>(estimate.influence.size());
}

}  // namespace starope
