#include "starope/arp/episode_weights.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

// Up to here the product of a window is cheaper multiplied out than kept.
constexpr std::int64_t short_window = 8;

}  // namespace

WeightRule make_weight_rule(const Problem& problem, Clip clip, double gamma) {
  return make_weight_rule(problem.survey(), clip, gamma);
}

WeightRule make_weight_rule(const Survey& logs, Clip clip, double gamma) {
  const std::int64_t window = std::min(clip.window().value_or(logs.longest), logs.longest);
  // 2^500 leaves room to add up and to multiply with rewards.
  const bool fits = static_cast<double>(window) * logs.ratio_log2_bound < 500.0;
  const bool simple = clip.is_none() || window <= short_window;
  return {.clip = clip, .gamma = gamma, .moderate = fits && simple};
}

std::optional<int> ScaledWeights::next(std::span<double> out, std::optional<int> unit) {
  STAROPE_ASSERT(t_ + out.size() <= ratios_.size());
  chunk_.clear();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Scaled w = product_.push(ratios_[t_++]) * Scaled::of(discount_);
    discount_ *= gamma_;
    chunk_.push_back(w);
    if (w.mantissa != 0.0) unit = std::max(unit.value_or(w.exponent), w.exponent);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = chunk_[i].relative_to(unit.value_or(0));
  return unit;
}

}  // namespace starope
