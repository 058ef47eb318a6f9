#include "starope/arp/episode_weights.hpp"

#include <algorithm>
#include <vector>

#include "starope/base/assert.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

// Up to here the product of a window is cheaper multiplied out than kept.
constexpr std::int64_t short_window = 8;

}  // namespace

WeightRule make_weight_rule(const Problem& problem, Clip clip, double gamma) {
  const std::int64_t window = std::min(clip.window().value_or(problem.longest()), problem.longest());
  // 2^500 leaves room to add up and to multiply with rewards.
  const bool fits = static_cast<double>(window) * problem.ratio_log2_bound() < 500.0;
  const bool simple = clip.is_none() || window <= short_window;
  return {.clip = clip, .gamma = gamma, .moderate = fits && simple};
}

EpisodeWeights::EpisodeWeights(const WeightRule& rule, std::span<const double> ratios) : rule_(rule), ratios_(ratios) {
  if (!rule_.moderate) sliding_.emplace(rule_.clip);
}

std::optional<int> EpisodeWeights::next(std::span<double> out, std::optional<int> unit) {
  STAROPE_ASSERT(t_ + out.size() <= ratios_.size());
  if (!rule_.moderate) return fill_scaled(out, unit);
  fill_moderate(out);
  const int shared = std::max(0, unit.value_or(0));
  if (shared > 0) {
    for (double& w : out) w = Scaled{w, 0}.relative_to(shared);
  }
  return shared;
}

void EpisodeWeights::fill_moderate(std::span<double> out) {
  const double* ratio = ratios_.data() + t_;
  if (rule_.clip.is_none()) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = product_ *= ratio[i];
  } else {
    const auto window = static_cast<std::size_t>(*rule_.clip.window());
    std::copy_n(ratio, out.size(), out.data());
    for (std::size_t back = 1; back < window; ++back) {
      // The factor `back` steps ago exists from step t = back on.
      for (std::size_t i = back > t_ ? back - t_ : 0; i < out.size(); ++i) out[i] *= ratios_[t_ + i - back];
    }
  }
  t_ += out.size();
  if (rule_.gamma == 1.0) return;
  for (double& w : out) {
    w *= discount_;
    discount_ *= rule_.gamma;
  }
}

std::optional<int> EpisodeWeights::fill_scaled(std::span<double> out, std::optional<int> unit) {
  std::vector<Scaled> weights;
  weights.reserve(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Scaled w = sliding_->push(ratios_[t_++]) * Scaled::of(discount_);
    discount_ *= rule_.gamma;
    weights.push_back(w);
    if (w.mantissa != 0.0) unit = std::max(unit.value_or(w.exponent), w.exponent);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = weights[i].relative_to(unit.value_or(0));
  return unit;
}

}  // namespace starope
