#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "starope/problem.hpp"
#include "starope/stats/sliding_product.hpp"
#include "starope/types.hpp"

namespace starope {

// How a step is weighted: g^t times the product of the last ratios (all of them without clip).
struct WeightRule {
  Clip clip = Clip::last(1);
  double gamma = 1.0;
  bool moderate = false;  // no product can leave the range of double: plain arithmetic will do
};

// gamma: the discount inside the counts; 1 where it is not wanted there.
WeightRule make_weight_rule(const Survey& logs, Clip clip, double gamma);
WeightRule make_weight_rule(const Problem& problem, Clip clip, double gamma);

// The weights of one episode in order of time, a chunk at a time, written in units of 2^(256 u). Two implementations
// with one interface: next(out, unit) returns u, the smallest that is at least `unit` and keeps every weight of the
// chunk in range. Nothing but zero weights may return no unit.

// Plain arithmetic, for rules that are `moderate`: no allocation, a few instructions per step.
class ModerateWeights {
 public:
  ModerateWeights(const WeightRule& rule, std::span<const double> ratios)
      : ratios_(ratios), window_(static_cast<std::size_t>(rule.clip.window().value_or(0))), gamma_(rule.gamma) {}

  std::optional<int> next(std::span<double> out, std::optional<int> unit);

 private:
  std::span<const double> ratios_;
  std::size_t window_;  // 0: no clip
  double gamma_;
  std::size_t t_ = 0;
  double product_ = 1.0;   // no clip: the running product
  double discount_ = 1.0;  // gamma^t_
};

// Any number of factors of any size.
class ScaledWeights {
 public:
  ScaledWeights(const WeightRule& rule, std::span<const double> ratios)
      : ratios_(ratios), gamma_(rule.gamma), product_(rule.clip) {}

  std::optional<int> next(std::span<double> out, std::optional<int> unit);

 private:
  std::span<const double> ratios_;
  double gamma_;
  std::size_t t_ = 0;
  double discount_ = 1.0;
  SlidingProduct product_;
  std::vector<Scaled> chunk_;
};

// Calls use(weights) with the right one of the two.
template <class Use>
auto with_weights(const WeightRule& rule, std::span<const double> ratios, const Use& use) {
  if (rule.moderate) {
    ModerateWeights weights(rule, ratios);
    return use(weights);
  }
  ScaledWeights weights(rule, ratios);
  return use(weights);
}

inline std::optional<int> ModerateWeights::next(std::span<double> out, std::optional<int> unit) {
  const double* const ratio = ratios_.data() + t_;
  const std::size_t size = out.size();
  if (window_ == 0) {
    for (std::size_t i = 0; i < size; ++i) out[i] = product_ *= ratio[i];
  } else {
    std::copy_n(ratio, size, out.data());
    for (std::size_t back = 1; back < window_; ++back) {
      // The factor `back` steps ago exists from step t = back on.
      for (std::size_t i = back > t_ ? back - t_ : 0; i < size; ++i) out[i] *= ratios_[t_ + i - back];
    }
  }
  t_ += size;
  if (gamma_ != 1.0) {
    for (double& w : out) {
      w *= discount_;
      discount_ *= gamma_;
    }
  }
  if (unit.value_or(0) <= 0) return 0;
  for (double& w : out) w = Scaled{w, 0}.relative_to(*unit);
  return unit;
}

}  // namespace starope
