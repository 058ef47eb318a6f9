#include "starope/auto/markov.hpp"

#include <algorithm>
#include <cmath>

#include "starope/auto/paired_shift.hpp"
#include "starope/base/assert.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {

double MarkovTest::unexplained() const noexcept {
  const double beyond = std::max(0.0, std::abs(delta) - gap);
  return std::max(0.0, beyond * beyond - delta_se * delta_se);
}

MarkovTest test_markov(std::span<const double> one_ratio, std::span<const double> two_ratios, double gap) {
  STAROPE_ASSERT(!one_ratio.empty());
  const PairedShift shift = paired_shift(one_ratio, two_ratios);
  MarkovTest test{.delta = shift.mean, .delta_se = shift.std_error, .scores = shift.scores, .gap = gap};
  constexpr double one_sided = 0.99;  // the normal quantile 2.326
  double z = student_t_quantile(one_sided, std::max(test.scores - 1.0, 3.0));
  if (test.scores < 8.0) z = std::max(z, 5.0);
  test.threshold = gap + z * test.delta_se;
  // With one episode there is no standard error, and no reason to doubt.
  test.markov = one_ratio.size() < 2 || !(std::abs(test.delta) > test.threshold);
  return test;
}

}  // namespace starope
