#include "starope/auto/slow_ids.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "starope/data/log_vectors.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using Episodes = std::vector<std::vector<std::int64_t>>;

Problem problem_of(const Episodes& episodes) {
  testing::LogVectors columns;
  std::vector<std::int64_t> ids;
  for (const auto& episode : episodes) {
    ids.insert(ids.end(), episode.begin(), episode.end());
    columns.rewards.assign(ids.size(), 1.0);
    columns.end_episode();
  }
  columns.behavior = columns.target = columns.rewards;
  columns.states = make_discrete_states(ids);
  return make_problem(std::move(columns).dataset());
}

// A walk over a ring of ids, with steps of different lengths so that no two eigenvalues are equal.
Episodes walks(std::int64_t episodes, std::int64_t length, std::int64_t ids) {
  Random random(Seed{8}, Stream::test_data, 0);
  Episodes all;
  for (std::int64_t i = 0; i < episodes; ++i) {
    auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(ids)));
    std::vector<std::int64_t> episode{at};
    for (std::int64_t t = 1; t < length; ++t) {
      at = (at + ids + static_cast<std::int64_t>(random.below(5)) - 1 - (at < ids / 3 ? 1 : 0)) % ids;
      episode.push_back(at);
    }
    all.push_back(episode);
  }
  return all;
}

struct Definition {
  std::vector<double> values{};  // largest first
  Eigen::MatrixXd vectors{};
};

// The definition on one-hot vectors, with matrices of ids x ids; all ids 0 .. ids-1 must occur in pairs.
Definition by_definition(const Episodes& episodes, std::int64_t ids, double ridge) {
  Eigen::MatrixXd together = Eigen::MatrixXd::Zero(ids, ids), successive = together;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(ids);
  double states = 0.0;
  for (const auto& episode : episodes) {
    for (std::size_t t = 0; t + 1 < episode.size(); ++t) {
      const Eigen::VectorXd x = Eigen::VectorXd::Unit(ids, episode[t]), y = Eigen::VectorXd::Unit(ids, episode[t + 1]);
      together += x * x.transpose() + y * y.transpose();
      successive += x * y.transpose() + y * x.transpose();
      mean += x + y;
      states += 2.0;
    }
  }
  mean /= states;
  Eigen::MatrixXd c0 = together / states - mean * mean.transpose();
  const Eigen::MatrixXd c1 = successive / states - mean * mean.transpose();
  c0.diagonal().array() += ridge * c0.trace() / static_cast<double>(ids);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(c1, c0);
  const Eigen::VectorXd values = solver.eigenvalues().reverse();
  return {.values = {values.begin(), values.end()}, .vectors = solver.eigenvectors().rowwise().reverse()};
}

void expect_as_defined(const Episodes& episodes, std::int64_t ids, std::int64_t features) {
  const SlowDirections got = slow_directions_of_ids(problem_of(episodes));
  const Definition want = by_definition(episodes, ids, 0.1);
  ASSERT_EQ(got.features, features);
  ASSERT_EQ(got.of_id.size(), static_cast<std::size_t>(ids * features));
  for (std::int64_t j = 0; j < features; ++j) {
    const double weight = std::pow(want.values[j], 3);
    // The sign of an eigenvector is nobody's: that of the largest entry decides.
    Eigen::Index top = 0;
    want.vectors.col(j).cwiseAbs().maxCoeff(&top);
    const auto at = [&](std::int64_t i) { return got.of_id[i * features + j]; };
    const double sign = at(top) * weight * want.vectors(top, j) < 0.0 ? -1.0 : 1.0;
    for (std::int64_t i = 0; i < ids; ++i) {
      EXPECT_NEAR(at(i), sign * weight * want.vectors(i, j), 1e-6 * std::abs(want.vectors(top, j))) << i << ' ' << j;
    }
  }
}

TEST(SlowIds, AreTheEigenvectorsOfTheDefinition) {
  expect_as_defined(walks(20, 30, 12), 12, 12);
}

TEST(SlowIds, OfManyIdsAreTheLargestOfTheDefinition) {
  expect_as_defined(walks(150, 40, 150), 150, 32);
}

TEST(SlowIds, InNoPairHaveNoFeatures) {
  Episodes episodes = walks(20, 30, 12);
  const SlowDirections before = slow_directions_of_ids(problem_of(episodes));
  episodes.push_back({99});  // one step: in no pair
  const SlowDirections after = slow_directions_of_ids(problem_of(episodes));
  ASSERT_EQ(after.features, before.features);
  const auto width = static_cast<std::size_t>(after.features);
  for (std::size_t j = 0; j < width; ++j) EXPECT_EQ(after.of_id[12 * width + j], 0.0);
  for (std::size_t i = 0; i < 12 * width; ++i) {
    if (i % width >= 4) continue;  // behind the positive eigenvalues the new id's zero has its place
    EXPECT_NEAR(std::abs(after.of_id[i]), std::abs(before.of_id[i]), 1e-9) << i;
  }
}

// Two hundred chains that never meet: every eigenvalue two hundred times, the hardest case for a Krylov method. What it
// finds must still solve C1 u = lambda (C0 + e I) u.
TEST(SlowIds, ThatNeverMeetStillGetEigenvectors) {
  constexpr std::int64_t chains = 200, length = 25, ids = chains * length;
  Episodes episodes;
  for (std::int64_t i = 0; i < chains; ++i) {
    std::vector<std::int64_t> chain;
    for (std::int64_t t = 0; t < length; ++t) chain.push_back(length * i + t);
    episodes.push_back(chain);
  }
  const SlowDirections got = slow_directions_of_ids(problem_of(episodes));
  ASSERT_GE(got.features, 8);
  constexpr double states = 2.0 * chains * (length - 1);
  const auto share = [](std::int64_t i) { return (i % length == 0 || i % length == length - 1 ? 1.0 : 2.0) / states; };
  double variances = 0.0;
  for (std::int64_t i = 0; i < ids; ++i) variances += share(i) * (1.0 - share(i));
  for (std::int64_t j = 0; j < got.features; ++j) {
    Eigen::VectorXd u(ids), moved(ids), spread(ids);
    for (std::int64_t i = 0; i < ids; ++i) u[i] = got.of_id[i * got.features + j];
    double mean = 0.0;
    for (std::int64_t i = 0; i < ids; ++i) mean += share(i) * u[i];
    for (std::int64_t i = 0; i < ids; ++i) {
      const double before = i % length > 0 ? u[i - 1] : 0.0, after = i % length < length - 1 ? u[i + 1] : 0.0;
      moved[i] = (before + after) / states - share(i) * mean;
      spread[i] = (share(i) + 0.1 * variances / ids) * u[i] - share(i) * mean;
    }
    const double lambda = u.dot(moved) / u.dot(spread);
    EXPECT_GT(lambda, 0.5) << j;
    EXPECT_LT((moved - lambda * spread).norm(), 1e-4 * spread.norm()) << j;
  }
}

TEST(SlowIds, DoNotDependOnThreads) {
  const Problem problem = problem_of(walks(3000, 40, 500));
  EXPECT_EQ(slow_directions_of_ids(problem, {}, Threads{1}).of_id,
            slow_directions_of_ids(problem, {}, Threads{4}).of_id);
}

TEST(SlowIds, NeedTwoIdsInPairs) {
  EXPECT_EQ(slow_directions_of_ids(problem_of({{1}, {2}, {3}})).features, 0);
  EXPECT_EQ(slow_directions_of_ids(problem_of({{4, 4, 4}, {5}})).features, 0);
}

}  // namespace
}  // namespace starope
