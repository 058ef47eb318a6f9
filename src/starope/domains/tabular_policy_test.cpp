#include "starope/domains/tabular_policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

TEST(TabularPolicy, HoldsOneDistributionPerSymbol) {
  const TabularPolicy policy(2, 3, {0.2, 0.3, 0.5, 1.0, 0.0, 0.0});
  EXPECT_EQ(policy.probability(0, 2), 0.5);
  EXPECT_EQ(policy.probability(1, 0), 1.0);
  EXPECT_EQ(policy.row(1).size(), 3u);
}

TEST(TabularPolicy, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(TabularPolicy(1, 2, {0.5, 0.4}), InvalidArgument);
  EXPECT_THROW(TabularPolicy(1, 2, {1.5, -0.5}), InvalidArgument);
  EXPECT_THROW(TabularPolicy(1, 2, {std::nan(""), 1.0}), InvalidArgument);
  EXPECT_THROW(TabularPolicy(2, 2, {0.5, 0.5}), InvalidArgument);
  EXPECT_THROW(TabularPolicy(0, 2, {}), InvalidArgument);
}

TEST(TabularPolicy, UniformAndConstantRows) {
  const auto uniform = TabularPolicy::uniform(3, 4);
  EXPECT_EQ(uniform.probability(2, 3), 0.25);
  const std::array<double, 2> row{0.3, 0.7};
  const auto constant = TabularPolicy::same_everywhere(3, row);
  for (std::int32_t s = 0; s < 3; ++s) EXPECT_EQ(constant.probability(s, 1), 0.7);
}

TEST(TabularPolicy, SoftmaxDependsOnDifferencesOnlyAndNeverOverflows) {
  const std::array<double, 4> preferences{0.0, std::log(3.0), 5000.0, 5000.0 + std::log(3.0)};
  const auto policy = TabularPolicy::softmax(2, 2, preferences);
  EXPECT_NEAR(policy.probability(0, 0), 0.25, 1e-15);
  EXPECT_NEAR(policy.probability(1, 1), 0.75, 1e-12);
}

TEST(WithTemperature, TakesRootsAndKeepsTheSupport) {
  const TabularPolicy policy(2, 3, {0.64, 0.36, 0.0, 0.0, 1.0, 0.0});
  const auto flat = with_temperature(policy, 2.0);
  EXPECT_NEAR(flat.probability(0, 0), 0.8 / 1.4, 1e-15);
  EXPECT_NEAR(flat.probability(0, 1), 0.6 / 1.4, 1e-15);
  EXPECT_EQ(flat.probability(0, 2), 0.0);
  EXPECT_EQ(flat.probability(1, 1), 1.0);
  const auto sharp = with_temperature(policy, 0.001);
  EXPECT_NEAR(sharp.probability(0, 0), 1.0, 1e-12);
  EXPECT_THROW(with_temperature(policy, 0.0), InvalidArgument);
  EXPECT_THROW(with_temperature(policy, -1.0), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
