#include "starope/auto/wave_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem = testing::random_problem({.episodes = 20, .dimension = 3, .final_states = 0.5}, Seed{1});
  BagFeatures features{.dimension = 3, .values = testing::state_numbers(problem)};
};

TEST(WaveBasis, IsAConstantTheFeaturesAndCosines) {
  const Logs logs;
  const WaveBasis basis = draw_waves(logs.features, logs.problem, {.draws = 1}).front();
  ASSERT_EQ(basis.features(), 3);
  ASSERT_GE(basis.waves(), 96);
  std::vector<double> out(basis.columns());
  const double x[] = {0.3, -1.2, 2.5};
  basis.evaluate(x, out.data());
  EXPECT_EQ(out[0], 1.0);
  const auto waves = static_cast<std::size_t>(basis.waves());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(out[1 + i], std::sqrt(3.0) * (x[i] - basis.center[i]) / basis.width, 1e-14);
  }
  for (std::size_t j = 0; j < waves; ++j) {
    double angle = basis.phases[j];
    for (std::size_t i = 0; i < 3; ++i) angle += basis.directions[i * waves + j] * (x[i] - basis.center[i]);
    EXPECT_NEAR(out[4 + j], std::sqrt(2.0) * std::cos(angle), 1e-10);
  }
}

TEST(WaveBasis, HasTheCenterAndWidthOfTheLoggedSteps) {
  const Logs logs;
  const WaveBasis basis = draw_waves(logs.features, logs.problem, {.draws = 1}).front();
  const auto steps = static_cast<double>(logs.problem.steps());
  double variance = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0.0, squares = 0.0;
    for (std::int64_t row = 0; row < logs.problem.steps(); ++row) {
      const double x = logs.features.values[static_cast<std::size_t>(row) * 3 + j];
      mean += x / steps;
      squares += x * x / steps;
    }
    EXPECT_NEAR(basis.center[j], mean, 1e-12);
    variance += squares - mean * mean;
  }
  EXPECT_NEAR(basis.width, std::sqrt(variance), 1e-12);
}

// Random Fourier features approximate a kernel that depends on the distance alone: with frequencies f / width, the mean
// of 2 cos(a) cos(b) over phases is cos(u'(x - y)), whose mean over normal u is exp(-f^2 |x - y|^2 / (2 width^2)).
TEST(WaveBasis, ProductsApproximateTheKernelOfItsFrequencies) {
  const Logs logs;
  const WaveBasis basis =
      draw_waves(logs.features, logs.problem, {.draws = 1, .waves = 40000, .frequencies = {1.5}}).front();
  std::vector<double> at(basis.columns()), near = at;
  const double x[] = {0.1, 0.2, -0.3}, y[] = {0.6, -0.4, 0.4};
  basis.evaluate(x, at.data());
  basis.evaluate(y, near.data());
  double product = 0.0, distance = 0.0;
  for (std::size_t j = 4; j < at.size(); ++j) product += at[j] * near[j] / static_cast<double>(basis.waves());
  for (std::size_t i = 0; i < 3; ++i) distance += (x[i] - y[i]) * (x[i] - y[i]);
  EXPECT_NEAR(product, std::exp(-0.5 * 1.5 * 1.5 * distance / (basis.width * basis.width)), 0.02);
}

TEST(WaveBasis, DrawsDifferAndFillWholeVectors) {
  const Logs logs;
  const std::vector<WaveBasis> draws = draw_waves(logs.features, logs.problem, {.draws = 3});
  EXPECT_NE(draws[0].phases, draws[1].phases);
  EXPECT_NE(draws[1].directions, draws[2].directions);
  for (const WaveBasis& basis : draws) EXPECT_EQ(basis.columns() % 8, 0);
  EXPECT_NE(draw_waves(logs.features, logs.problem, {.draws = 1, .which = 1}).front().phases, draws[0].phases);
  EXPECT_EQ(draw_waves(logs.features, logs.problem, {.draws = 1}).front(), draws[0]);
}

TEST(WaveBasis, OfStatesThatAreAllAlikeIsDefined) {
  Logs logs;
  for (double& x : logs.features.values) x = 4.0;
  const WaveBasis basis = draw_waves(logs.features, logs.problem, {.draws = 1}).front();
  std::vector<double> out(basis.columns());
  basis.evaluate(logs.features.values.data(), out.data());
  for (const double value : out) EXPECT_TRUE(std::isfinite(value));
}

TEST(WaveRows, FollowThePointsOfRows) {
  const Logs logs;
  BagFeatures shared{.dimension = 3, .values = {1, 2, 3, 4, 5, 6}};
  for (std::int64_t row = 0; row < logs.problem.data().state_rows(); ++row) {
    shared.point_of_row.push_back(static_cast<std::int32_t>(row % 2));
  }
  const WaveRows waves(draw_waves(shared, logs.problem, {.draws = 2}), shared);
  RowMatrix out;
  const std::vector<std::int64_t> rows{3, 0, 5};
  waves.evaluate(1, rows, out);
  std::vector<double> second(waves.columns());
  waves.basis(1).evaluate(shared.values.data() + 3, second.data());
  for (Eigen::Index j = 0; j < waves.columns(); ++j) {
    EXPECT_EQ(out(0, j), second[j]);
    EXPECT_EQ(out(2, j), out(0, j));
  }
  EXPECT_NE(out(1, 1), out(0, 1));
}

}  // namespace
}  // namespace starope
