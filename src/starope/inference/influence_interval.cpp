#include "starope/inference/influence_interval.hpp"

#include <algorithm>
#include <cmath>

#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {

double degrees_of_freedom(const Estimate& estimate) {
  const double scores = effective_scores(estimate);  // no number where their fourth powers are none
  return std::max(std::isfinite(scores) ? scores - 1.0 : 0.0, 3.0);
}

std::optional<Interval> influence_interval(const Estimate& estimate, Level level) {
  // A standard error of zero is no knowledge: an interval of no width would pretend that it is.
  if (!estimate.std_error || *estimate.std_error == 0.0) return std::nullopt;
  if (!std::isfinite(*estimate.std_error)) return std::nullopt;
  const double reach =
      student_t_quantile(0.5 + 0.5 * level.probability(), degrees_of_freedom(estimate)) * *estimate.std_error;
  if (!std::isfinite(estimate.value - reach) || !std::isfinite(estimate.value + reach)) return std::nullopt;
  Interval interval{.lower = estimate.value - reach,
                    .upper = estimate.value + reach,
                    .level = level.probability(),
                    .method = "influence"};
  if (estimate.range) {
    interval.lower = std::clamp(interval.lower, estimate.range->lower, estimate.range->upper);
    interval.upper = std::clamp(interval.upper, estimate.range->lower, estimate.range->upper);
  }
  return interval;
}

std::vector<Finding> interval_findings(const Estimate& estimate) {
  constexpr double enough = 10.0;
  if (!estimate.std_error) return {{Severity::warning, "no_standard_error"}};
  if (*estimate.std_error == 0.0) return {{Severity::warning, "no_spread"}};
  const double scores = effective_scores(estimate);
  const auto episodes = scored_episodes(estimate);
  if (scores >= enough || static_cast<double>(episodes) <= enough) return {};
  // What families that are weighed say against each other is in their error, too: there, few scores told misses no
  // better than chance (docs/decisions/0300).
  return {{estimate.families.empty() ? Severity::warning : Severity::info,
           "fragile_standard_error",
           {{"scores", scores}, {"episodes", episodes}}}};
}

}  // namespace starope
