#pragma once

#include <optional>
#include <string>
#include <variant>

#include "starope/abstraction/abstraction.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"

namespace starope {

// The uncorrected mean of the logged returns: what the behaviour policy earned.
struct Naive {};

struct ImportanceSampling {
  bool weighted = false;      // divide by the sum of the weights instead of the number of episodes
  bool per_decision = false;  // weigh every reward by the ratios up to it instead of by those of the whole episode
};

// What the end of a recording means for the model: an exit, or an outcome that was not seen.
enum class TruncationRule { end, censor };

// One model for all time steps, or one cell per (abstract state, time step).
enum class TimeModel { pooled, indexed };

// STAR: the exact value of an abstract reward process estimated with clipped importance weights.
struct Star {
  AbstractionRecipe phi;
  Clip clip = Clip::last(1);
  TruncationRule truncation = TruncationRule::end;
  TimeModel time = TimeModel::pooled;
  // Empty: the problem's horizon, if it has one. Present and empty inside: none. Present: this many steps.
  std::optional<std::optional<Horizon>> horizon{};
};

using Estimator = std::variant<Naive, ImportanceSampling, Star>;

struct EstimateOptions {
  Threads threads = Threads::all();
};

// The estimate with its standard error, effective sample size and findings. Throws DegenerateModel where no value
// exists, DataError where the logs lack what the estimator needs, InvalidArgument where its options cannot be used on
// them.
Estimate estimate(const Estimator& estimator, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
