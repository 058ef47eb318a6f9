#include "starope/phi/random_centroids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using testing::naive_labels;
using testing::normal_numbers;

TEST(RandomCentroids, DenseStatesFindTheNearestOfUniformPoints) {
  const std::vector<double> values = normal_numbers(std::int64_t{3} * 200, 1);
  const Labels labels = fit_random_centroids({.clusters = 7, .seed = Seed{5}}, dense_problem(3, values, {200})).labels;
  std::vector<double> centroids;
  for (std::uint64_t k = 0; k < 7; ++k) {
    Random random(Seed{5}, Stream::random_centroids, k);
    for (int j = 0; j < 3; ++j) centroids.push_back(random.uniform());
  }
  EXPECT_EQ(labels.cells, 7);
  EXPECT_EQ(labels.of_row, naive_labels(values, centroids, 3));
}

TEST(RandomCentroids, DiscreteStatesFindTheNearestInTheOneHotSpace) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 60; ++i) ids.push_back((i * 37) % 25 * 100);
  const Problem problem = discrete_problem(ids, {50, 10});
  const Labels labels = fit_random_centroids({.clusters = 6, .seed = Seed{2}}, problem, Threads{1}).labels;
  std::vector<double> centroids, rows(ids.size() * 25, 0.0);
  for (std::uint64_t k = 0; k < 6; ++k) {
    Random random(Seed{2}, Stream::random_centroids, k);
    for (int s = 0; s < 25; ++s) centroids.push_back(random.normal());
  }
  for (std::size_t i = 0; i < ids.size(); ++i) rows[i * 25 + static_cast<std::size_t>(ids[i] / 100)] = 1.0;
  EXPECT_EQ(labels.of_row, naive_labels(rows, centroids, 25));
  EXPECT_EQ(labels, fit_random_centroids({.clusters = 6, .seed = Seed{2}}, problem, Threads{4}).labels);
}

TEST(RandomCentroids, DependOnTheSeedOnly) {
  const Problem problem = dense_problem(2, normal_numbers(400, 3), {200});
  const auto run = [&](std::uint64_t seed) {
    return fit_random_centroids({.clusters = 5, .seed = Seed{seed}}, problem).labels;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(RandomCentroids, RefuseWrongCalls) {
  EXPECT_THROW(fit_random_centroids({.clusters = 0}, discrete_problem({1}, {1})), InvalidArgument);
  EXPECT_THROW(fit_random_centroids({}, testing::problem_of(std::monostate{}, {1})), DataError);
}

TEST(RandomCentroids, BitsAreLabeledLikeTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(400, 90, 0.2, 81);
  const Labels labels = fit_random_centroids({.clusters = 7}, testing::problem_of(states, {400})).labels;
  EXPECT_EQ(labels, fit_random_centroids({.clusters = 7}, testing::problem_of(to_dense(states), {400})).labels);
}

}  // namespace
}  // namespace starope
