#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"

namespace starope {

struct Interval {
  double lower = 0.0;
  double upper = 0.0;
  double level = 0.95;
  std::string method{};  // "influence"
};

// What an estimator answers. `influence` holds one value per episode: how much the estimate would change, times the
// number of episodes, if the episode counted a little more; they sum to zero, and their spread is the standard error.
struct Estimate {
  std::string estimator{};  // the string that was given
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  std::optional<double> ess{};  // effective number of episodes behind the weights this estimator uses
  std::vector<Finding> findings{};
  std::vector<double> influence{};
};

struct EstimateOptions {
  Threads threads = Threads::all();
};

}  // namespace starope
