#include "starope/q/state_features.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/error.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(StateFeatures, TabularCellsAreTheCodes) {
  const QLogs logs(testing::tabular_problem({}, Seed{1}), "fqe");
  const StateFeatures features = make_features({.kind = FeatureKind::tabular}, logs);
  ASSERT_TRUE(features.indicator());
  const auto& states = std::get<DiscreteStates>(logs.problem().data().states());
  EXPECT_EQ(features.width, 5);
  for (std::size_t i = 0; i < features.cell.size(); ++i)
    EXPECT_EQ(features.cell[i], static_cast<Label>(states.code[i]));
}

TEST(StateFeatures, NumbersAreStandardizedButBitsAreNot) {
  Columns c;
  c.offsets = {0, 4};
  c.rewards = {0, 0, 0, 0};
  c.ends = {EpisodeEnd::terminated};
  c.states = DenseStates{.dimension = 2, .values = {10, 0, 14, 1, 10, 0, 14, 0}};
  c.actions = DiscreteActions{.id = {0, 0, 0, 0}, .count = 1};
  c.behavior = c.target = LoggedProbabilities{.values = {1, 1, 1, 1}};
  c.target_distribution = ActionProbabilities{.actions = 1, .values = {1, 1, 1, 1}};
  const QLogs logs(make_problem(Dataset(std::move(c))), "fqe");
  const StateFeatures linear = make_features({.kind = FeatureKind::linear}, logs);
  ASSERT_EQ(linear.width, 3);
  const std::vector<float> expected{1, -1, 0, 1, 1, 1, 1, -1, 0, 1, 1, 0};  // mean 12, standard deviation 2
  EXPECT_EQ(linear.values, expected);
  EXPECT_EQ(make_features({.kind = FeatureKind::raw}, logs).width, 2);
}

// The inner product of random Fourier features approaches the Gaussian kernel: E[2 cos(u'x+b) cos(u'y+b)] =
// exp(-|x-y|^2 / (2 width^2)).
TEST(StateFeatures, WavesApproachTheGaussianKernel) {
  const QLogs logs(testing::tabular_problem({.dense = true}, Seed{2}), "fqe");
  const std::int64_t waves = 20000;
  const StateFeatures rbf = make_features({.kind = FeatureKind::rbf, .waves = waves, .seed = Seed{3}}, logs);
  ASSERT_EQ(rbf.width, 1 + 3 + waves);
  for (const std::int64_t other : {1, 2, 3, 4, 5}) {
    const auto x = rbf.row(0), y = rbf.row(other);
    double distance = 0.0, inner = 0.0;
    for (std::size_t k = 1; k < 4; ++k) distance += std::pow(static_cast<double>(x[k] - y[k]), 2);
    for (std::size_t k = 4; k < x.size(); ++k) inner += static_cast<double>(x[k]) * static_cast<double>(y[k]);
    // Three standardized features: the width of the kernel is sqrt 3.
    EXPECT_NEAR(inner / static_cast<double>(waves), std::exp(-distance / 6.0), 0.03);
  }
}

TEST(StateFeatures, PackedBitsAreTheSameNumbers) {
  Random random(Seed{4}, Stream::test_data, 0);
  constexpr std::int64_t steps = 50;
  const auto logs_with = [&](States states) {
    Columns c;
    c.offsets = {0, steps};
    c.rewards = std::vector<double>(steps, 0.0);
    c.ends = {EpisodeEnd::terminated};
    c.states = std::move(states);
    c.actions = DiscreteActions{.id = std::vector<std::int32_t>(steps, 0), .count = 1};
    c.behavior = c.target = LoggedProbabilities{.values = std::vector<double>(steps, 1.0)};
    c.target_distribution = ActionProbabilities{.actions = 1, .values = std::vector<double>(steps, 1.0)};
    return QLogs(make_problem(Dataset(std::move(c))), "fqe");
  };
  for (const std::int64_t dimension : {20, 100}) {  // with the features themselves beside waves, and without
    std::vector<double> values;
    for (std::int64_t i = 0; i < steps * dimension; ++i) values.push_back(random.uniform() < 0.2 ? 1.0 : 0.0);
    const DenseStates dense{.dimension = dimension, .values = std::move(values)};
    const QLogs packed = logs_with(*to_bits(dense)), plain = logs_with(dense);
    for (const FeatureKind kind : {FeatureKind::raw, FeatureKind::linear, FeatureKind::rbf}) {
      const StateFeatures a = make_features({.kind = kind}, packed), b = make_features({.kind = kind}, plain);
      ASSERT_EQ(a.width, b.width);
      ASSERT_EQ(a.values.size(), b.values.size());
      for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(a.values[i], b.values[i], 1e-6F);
      EXPECT_EQ(a.description, b.description);
    }
  }
}

TEST(StateFeatures, IdsHaveNoNumbers) {
  const QLogs logs(testing::tabular_problem({}, Seed{1}), "fqe");
  EXPECT_THROW(make_features({.kind = FeatureKind::linear}, logs), InvalidArgument);
}

}  // namespace
}  // namespace starope
