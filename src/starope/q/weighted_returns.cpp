#include "starope/q/weighted_returns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/error.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {

std::vector<double> weighted_returns(const QLogs& logs, std::span<const LoggedStep> steps) {
  const double g = logs.gamma();
  std::vector<double> returns(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    const bool last = i + 1 == steps.size() || steps[i + 1].t == 0;
    // A zero ratio ends the sum, even if what would follow is too large for a number.
    const double ratio = last ? 0.0 : steps[i + 1].ratio;
    returns[i] = steps[i].reward + (ratio == 0.0 ? 0.0 : g * ratio * returns[i + 1]);
    if (!std::isfinite(returns[i])) {
      throw DegenerateModel(fmt::format(
          "{}: the importance-weighted returns are too large for a number: the policies differ too much, or "
          "episodes are too long. Use fqe or mb",
          logs.who()));
    }
  }
  return returns;
}

std::vector<double> variance_weights(const QLogs& logs, std::span<const LoggedStep> steps) {
  const Scaled g = Scaled::of(logs.gamma());
  std::vector<Scaled> scaled(steps.size());
  Scaled before;  // (g^t rho_{0:t-1})^2
  int unit = 0;
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].t == 0) before = Scaled{};
    const Scaled ratio = Scaled::of(steps[i].ratio);
    scaled[i] = before * ratio;
    before = before * ratio * ratio * g * g;
    if (scaled[i].mantissa == 0.0) continue;
    unit = any ? std::max(unit, scaled[i].exponent) : scaled[i].exponent;
    any = true;
  }
  std::vector<double> weights(steps.size(), 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) sum += weights[i] = scaled[i].relative_to(unit);
  if (sum == 0.0) return weights;
  const double mean = sum / static_cast<double>(steps.size());
  for (double& w : weights) w /= mean;
  return weights;
}

}  // namespace starope
