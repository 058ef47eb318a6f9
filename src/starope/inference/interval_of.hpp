#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/inference/bootstrap_interval.hpp"
#include "starope/inference/sum_replicates.hpp"
#include "starope/interval.hpp"
#include "starope/problem.hpp"

namespace starope {

bool is_bootstrap(IntervalMethod method) noexcept;
bool is_bound(IntervalMethod method) noexcept;

// An interval, or none, with what there is to be said about that.
struct MadeInterval {
  std::optional<Interval> interval{};
  std::vector<Finding> findings{};
};

// influence and t: from the estimate alone. None where the standard error leaves out the fit of a network.
MadeInterval interval_from_error(const Estimate& estimate, IntervalMethod method, Level level);

// hoeffding, empirical-bernstein and anderson: for estimators that are means over episodes (naive, is, pdis) of values
// whose range is given. Refused otherwise, with the reason.
MadeInterval interval_from_bound(const Estimator& estimator, const Problem& problem, const IntervalRecipe& recipe,
                                 Level level);

// A bootstrap: `replicated` makes the replicates.
using Replicated = std::function<Replicates(const ReplicateOptions& options)>;
MadeInterval interval_from_replicates(const Estimate& estimate, const Replicated& replicated,
                                      const IntervalRecipe& recipe, std::int64_t usual_replicates, Level level,
                                      Threads threads);

}  // namespace starope
