#include "starope/inference/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/base/assert.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

Interval around(double mean, double reach, ValueRange range, Level level, const char* method) {
  return {.lower = std::clamp(mean - reach, range.lower, range.upper),
          .upper = std::clamp(mean + reach, range.lower, range.upper),
          .level = level.probability(),
          .method = method};
}

}  // namespace

Interval hoeffding_interval(std::span<const double> values, ValueRange range, Level level) {
  STAROPE_ASSERT(!values.empty());
  const double reach = (range.upper - range.lower) * std::sqrt(std::log(2.0 / (1.0 - level.probability())) /
                                                               (2.0 * static_cast<double>(values.size())));
  return around(moments(values).mean(), reach, range, level, "hoeffding");
}

Interval empirical_bernstein_interval(std::span<const double> values, ValueRange range, Level level) {
  STAROPE_ASSERT(!values.empty());
  const Moments sample = moments(values);
  const double width = range.upper - range.lower;
  const auto n = static_cast<double>(values.size());
  const double surprise = std::log(4.0 / (1.0 - level.probability()));  // ln(2 / delta), delta = (1 - level) / 2
  const double reach = values.size() < 2 ? width
                                         : std::sqrt(2.0 * sample.variance() * surprise / n) +
                                               7.0 * width * surprise / (3.0 * (n - 1.0));
  return around(sample.mean(), reach, range, level, "empirical-bernstein");
}

// With the values sorted and x_0 = lower: E X = upper - integral of F over the range. Between neighbors F is i / n; the
// largest distribution of the band is min(1, F + e), the smallest max(0, F - e).
Interval anderson_interval(std::span<const double> values, ValueRange range, Level level) {
  STAROPE_ASSERT(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double band = std::sqrt(std::log(2.0 / (1.0 - level.probability())) / (2.0 * n));
  double above = 0.0, below = 0.0, from = range.lower;  // integrals of the largest and of the smallest distribution
  for (std::size_t i = 0; i <= sorted.size(); ++i) {
    const double to = i < sorted.size() ? sorted[i] : range.upper;
    const double share = static_cast<double>(i) / n;
    above += (to - from) * std::min(1.0, share + band);
    below += (to - from) * std::max(0.0, share - band);
    from = to;
  }
  return {
      .lower = range.upper - above, .upper = range.upper - below, .level = level.probability(), .method = "anderson"};
}

}  // namespace starope
