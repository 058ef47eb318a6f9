#include "starope/auto/family_mix.hpp"

#include <algorithm>
#include <cmath>

#include "starope/auto/paired_shift.hpp"
#include "starope/base/assert.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr double most_late = 0.1;
constexpr double most_instability = 0.25;  // standard errors
constexpr double significant = 3.0;        // standard errors
constexpr std::size_t finest_levels = 3;

double square(double x) {
  return x * x;
}

Family describe(const std::vector<double>& scores, const std::vector<HalfSample>& halves,
                const double (HalfSample::*which)[2]) {
  const Moments m = moments(scores);
  Family family{.value = m.mean(), .std_error = m.standard_error()};
  for (const HalfSample& half : halves) {
    const double a = (half.*which)[0], b = (half.*which)[1];
    family.instability += (0.5 * (a + b) - family.value) / static_cast<double>(halves.size());
    family.half_variance += square(0.5 * (a - b)) / static_cast<double>(halves.size());
  }
  return family;
}

std::vector<double> mixed(const std::vector<double>& pooled, const std::vector<double>& indexed, double share) {
  std::vector<double> result(pooled.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = (1.0 - share) * pooled[i] + share * indexed[i];
  return result;
}

struct Share {
  double indexed = 0.0;
  MixReason reason = MixReason::weighted;
};

Share choose(const Family& pooled, const Family& indexed, double difference_se, double late_share) {
  if (late_share > most_late) return {0.0, MixReason::late_steps};
  if (std::abs(indexed.instability) > most_instability * indexed.std_error) return {0.0, MixReason::unstable};
  if (std::abs(indexed.value - pooled.value) > significant * difference_se) return {0.5, MixReason::disagree};
  const double m_pooled = square(pooled.std_error) + square(3.0 * pooled.instability);
  const double m_indexed = square(indexed.std_error) + square(3.0 * indexed.instability);
  const double sum = m_pooled + m_indexed;
  return {sum > 0.0 ? m_pooled / sum : 0.5, MixReason::weighted};
}

}  // namespace

double ErrorTerms::total() const noexcept {
  return std::max(score, half) + seeds + instability + ladder + families + history;
}

double variance_over_seeds(const std::vector<double>& by_seed) {
  const Moments m = moments(by_seed);
  return by_seed.size() < 2 ? 0.0 : m.variance() / static_cast<double>(by_seed.size());
}

FamilyMix mix_families(const CoalitionScores& pooled, const CoalitionScores& indexed,
                       const std::vector<HalfSample>& halves, double late_share) {
  STAROPE_ASSERT(pooled.nested.size() == indexed.nested.size() && pooled.by_seed.size() == indexed.by_seed.size());
  FamilyMix mix{.pooled = describe(pooled.whole(), halves, &HalfSample::pooled),
                .indexed = describe(indexed.whole(), halves, &HalfSample::indexed)};
  const double difference_se = paired_shift(pooled.whole(), indexed.whole()).std_error;
  const Share share = choose(mix.pooled, mix.indexed, difference_se, late_share);
  const double a = mix.indexed_share = share.indexed;
  mix.reason = share.reason;
  mix.scores = mixed(pooled.whole(), indexed.whole(), a);
  const Moments m = moments(mix.scores);
  mix.value = m.mean();
  for (std::size_t l = 0; l < pooled.nested.size(); ++l) {
    mix.by_levels.push_back(moments(mixed(pooled.nested[l], indexed.nested[l], a)).mean());
  }
  for (std::size_t s = 0; s < pooled.by_seed.size(); ++s) {
    mix.by_seed.push_back(moments(mixed(pooled.by_seed[s], indexed.by_seed[s], a)).mean());
  }

  ErrorTerms& errors = mix.errors;
  errors.score = square(m.standard_error());
  double instability = 0.0;
  for (const HalfSample& half : halves) {
    const auto side = [&](std::size_t i) { return (1.0 - a) * half.pooled[i] + a * half.indexed[i]; };
    errors.half += square(0.5 * (side(0) - side(1))) / static_cast<double>(halves.size());
    instability += (0.5 * (side(0) + side(1)) - mix.value) / static_cast<double>(halves.size());
  }
  errors.instability = square(instability);
  errors.seeds = variance_over_seeds(mix.by_seed);
  if (mix.by_levels.size() > finest_levels) errors.ladder = square(mix.by_levels[finest_levels - 1] - mix.value);
  if (share.reason == MixReason::disagree) errors.families = square(0.5 * (mix.indexed.value - mix.pooled.value));
  return mix;
}

}  // namespace starope
