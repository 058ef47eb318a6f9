#include "starope/inference/simultaneous.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

// Independent estimates: each needs the level whose k-th power is the one asked for.
TEST(SingleLevel, IsTheRootForIndependentEstimates) {
  for (const std::size_t k : {1U, 2U, 5U}) {
    std::vector<double> covariance(k * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) covariance[i * k + i] = 1.0 + static_cast<double>(i);
    const double single = single_level(covariance, k, Level{0.9}, {.draws = 100000});
    EXPECT_NEAR(single, std::pow(0.9, 1.0 / static_cast<double>(k)), 0.003) << k;
  }
}

// Estimates that move together are as good as one.
TEST(SingleLevel, IsTheLevelForEstimatesThatAreTheSame) {
  const std::vector<double> same(9, 2.5);
  EXPECT_NEAR(single_level(same, 3, Level{0.95}), 0.95, 0.004);
  std::vector<double> with_constant(4, 0.0);  // one has no variance and does not count
  with_constant[0] = 1.0;
  EXPECT_NEAR(single_level(with_constant, 2, Level{0.95}), 0.95, 0.004);
}

// The multiplier bootstrap that it stands for, drawn the long way: max over estimates of |sum xi_i e_ij| / sqrt(sum
// e_ij^2), xi normal.
TEST(SingleLevel, IsTheMultiplierBootstrap) {
  Random random(Seed{4}, Stream::test_data, 0);
  std::vector<Estimate> estimates(3);
  for (int i = 0; i < 50; ++i) {
    const double common = random.normal();
    for (std::size_t j = 0; j < 3; ++j)
      estimates[j].influence.push_back(static_cast<double>(j) * common + random.normal());
  }
  for (Estimate& each : estimates) {
    const Moments all = moments(each.influence);
    for (double& x : each.influence) x -= all.mean();
    each.std_error = all.standard_error();
  }
  const JointEstimates joint = join_estimates(estimates);
  std::vector<double> largest;
  for (int b = 0; b < 20000; ++b) {
    std::vector<double> sums(3, 0.0);
    for (std::size_t i = 0; i < 50; ++i) {
      const double xi = random.normal();
      for (std::size_t j = 0; j < 3; ++j) sums[j] += xi * estimates[j].influence[i];
    }
    double most = 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
      double squares = 0.0;
      for (const double e : estimates[j].influence) squares += e * e;
      most = std::max(most, std::abs(sums[j]) / std::sqrt(squares));
    }
    largest.push_back(most);
  }
  std::sort(largest.begin(), largest.end());
  const double critical = largest[19000];
  EXPECT_NEAR(normal_quantile(0.5 + 0.5 * single_level(joint.covariance, 3, Level{0.95})), critical, 0.05);
}

// By hand: influence (1, -1) and (2, -2): variances (2/1)/2 = 1 and 4, covariance 2. The second knows of another error:
// its standard error is 3.
TEST(JoinEstimates, ByHand) {
  const std::vector<Estimate> estimates{{.value = 5.0, .std_error = 1.0, .influence = {1.0, -1.0}},
                                        {.value = 7.0, .std_error = 3.0, .influence = {2.0, -2.0}}};
  const JointEstimates joint = join_estimates(estimates);
  EXPECT_EQ(joint.values, (std::vector<double>{5.0, 7.0}));
  EXPECT_EQ(joint.covariance, (std::vector<double>{1.0, 2.0, 2.0, 9.0}));
  const PairedContrasts pairs = all_pairs(joint);
  ASSERT_EQ(pairs.pairs.size(), 1U);
  EXPECT_EQ(pairs.pairs[0].variance, 1.0 + 9.0 - 4.0);
}

// The differences 0-1, 0-2, 1-2 of independent estimates covary as their parts do: drawn from the estimates they need
// the same level as drawn from their own covariance.
TEST(SingleLevel, OfPairsIsThatOfTheirCovariance) {
  const JointEstimates joint{.values = {0.0, 0.0, 0.0}, .covariance = {1, 0, 0, 0, 2, 0, 0, 0, 4}};
  const std::vector<double> of_pairs{3, 1, -2, 1, 5, 4, -2, 4, 6};
  const PairedContrasts pairs = all_pairs(joint);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(pairs.pairs[p].variance, of_pairs[p * 3 + p]);
  EXPECT_NEAR(single_level(joint, pairs, Level{0.95}, {.draws = 100000}),
              single_level(of_pairs, 3, Level{0.95}, {.draws = 100000}), 0.001);
}

// Two independent estimates one joint standard error apart: the better one wins with P(T > -1) of a t distribution of
// the difference.
TEST(ProbabilityOfBest, IsThatOfTheDifferenceForTwo) {
  const JointEstimates joint{.values = {1.0, 0.0}, .covariance = {0.5, 0.0, 0.0, 0.5}};
  for (const double freedom : {3.0, 5.5, 1000.0}) {
    const auto best = probability_of_best(joint, freedom, {.draws = 100000});
    EXPECT_NEAR(best[0], student_t_probability(1.0, freedom), 0.005) << freedom;
    EXPECT_NEAR(best[0] + best[1], 1.0, 1e-12);
  }
}

TEST(ProbabilityOfBest, IsSharedByPoliciesThatAreTheSame) {
  const JointEstimates joint{.values = {1.0, 1.0, 0.0}, .covariance = {1, 1, 0, 1, 1, 0, 0, 0, 1}};
  const auto best = probability_of_best(joint, 50.0);
  EXPECT_DOUBLE_EQ(best[0], best[1]);
  EXPECT_GT(best[0], best[2]);
}

}  // namespace
}  // namespace starope
