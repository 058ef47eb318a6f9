#pragma once

// How the interval of an estimate is made.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "starope/estimators.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

enum class IntervalMethod {
  influence,              // value +- t se, as many degrees of freedom as the influence values effectively have
  t,                      // value +- t se, episodes - 1 degrees of freedom
  bootstrap_percentile,   // quantiles of the replicates
  bootstrap_bca,          // the same, corrected for bias and acceleration (Efron 1987)
  bootstrap_studentized,  // quantiles of (replicate - value) / (its own standard error)
  hoeffding,              // bounds that hold for every number of episodes, given the range of what is averaged
  empirical_bernstein,
  anderson,
};

// The range of what an episode may earn, and the largest product of ratios that the policies allow: nothing that logs
// could prove. `lower` and `upper` hold for the discounted return (for pdis: for the sums of its negative and of its
// positive rewards).
struct ReturnRange {
  double lower = 0.0;
  double upper = 0.0;
  std::optional<double> weight{};
  friend bool operator==(const ReturnRange&, const ReturnRange&) = default;
};

struct IntervalRecipe {
  IntervalMethod method = IntervalMethod::influence;
  // Of a bootstrap; empty: 1000 where replicates are sums, 200 where the estimator is fitted anew in each.
  std::optional<std::int64_t> replicates{};
  bool refit = false;                  // abstractions are fitted anew in every replicate, too
  Seed seed{};                         // of the bootstrap
  std::optional<ReturnRange> range{};  // of the bounds
  friend bool operator==(const IntervalRecipe&, const IntervalRecipe&) = default;
};

// "bootstrap-bca", "bootstrap-percentile(replicates=500,refit=yes)", "hoeffding(lower=0,upper=100,weight=20)".
// InvalidArgument where that is none. `seed`: for those who name none.
STAROPE_API IntervalRecipe parse_interval(std::string_view text, Seed seed = {});
STAROPE_API std::string text(const IntervalRecipe& recipe);
// The name of the method alone, as the JSON has it.
STAROPE_API std::string name(IntervalMethod method);
// Every method with its options, one line each.
STAROPE_API std::string interval_help();

}  // namespace starope
