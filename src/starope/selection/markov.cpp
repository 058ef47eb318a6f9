#include "starope/selection/markov.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/base/assert.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {

MarkovTest test_markov(std::span<const double> one_ratio, std::span<const double> two_ratios, double gap) {
  STAROPE_ASSERT(one_ratio.size() == two_ratios.size() && !one_ratio.empty());
  std::vector<double> difference(one_ratio.size());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = two_ratios[i] - one_ratio[i];
  const Moments m = moments(difference);
  for (double& e : difference) e -= m.mean();
  MarkovTest test{
      .delta = m.mean(), .delta_se = m.standard_error(), .scores = effective_scores(difference), .gap = gap};
  constexpr double one_sided = 0.99;  // the normal quantile 2.326
  double z = student_t_quantile(one_sided, std::max(test.scores - 1.0, 3.0));
  if (test.scores < 8.0) z = std::max(z, 5.0);
  test.threshold = gap + z * test.delta_se;
  // With one episode there is no standard error, and no reason to doubt.
  test.markov = one_ratio.size() < 2 || !(std::abs(test.delta) > test.threshold);
  return test;
}

}  // namespace starope
