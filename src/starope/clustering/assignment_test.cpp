#include "starope/clustering/assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/clustering/nearest_bits.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using testing::naive_labels;
using testing::normal_numbers;
using testing::squared_distance;

TEST(Assignment, ByHand) {
  const std::vector<double> values{0, 1, 10, 13}, weights{1, 2, 3, 0.5}, centroids{0, 12};
  std::vector<Label> labels(4);
  const ClusterSums sums =
      assign_points({.dimension = 1, .values = values, .weights = weights}, centroids, labels, Threads{1});
  EXPECT_THAT(labels, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(sums.weight, ElementsAre(3.0, 3.5));
  EXPECT_THAT(sums.sum, ElementsAre(2.0, 36.5));
  EXPECT_EQ(sums.inertia, 2.0 * 1.0 + 3.0 * 4.0 + 0.5 * 1.0);
}

TEST(Assignment, SumsOfEveryDimensionAgreeWithThePlainLoop) {
  for (const std::int64_t d : {1, 2, 3, 4, 5, 9}) {
    const auto width = static_cast<std::size_t>(d);
    const std::vector<double> values = normal_numbers(200 * d, 1), centroids = normal_numbers(7 * d, 2);
    std::vector<Label> labels(200);
    const Points points{.dimension = d, .values = values};
    const ClusterSums sums = assign_points(points, centroids, labels, Threads{1});
    ASSERT_EQ(labels, naive_labels(values, centroids, d));
    std::vector<double> weight(7, 0.0), sum(centroids.size(), 0.0);
    double inertia = 0.0;
    for (std::int64_t i = 0; i < 200; ++i) {
      const std::size_t k = labels[i];
      weight[k] += 1.0;
      for (std::size_t j = 0; j < width; ++j) sum[k * width + j] += points.row(i)[j];
      inertia += squared_distance(points.row(i), std::span(centroids).subspan(k * width, width));
    }
    EXPECT_EQ(sums.weight, weight);
    EXPECT_THAT(sums.sum, ::testing::Pointwise(::testing::DoubleNear(1e-12), sum));
    EXPECT_NEAR(sums.inertia, inertia, 1e-9);
  }
}

TEST(Assignment, TheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> values = normal_numbers(2 * (6 * points_per_block + 3), 3),
                            centroids = normal_numbers(20, 4);
  const Points points{.dimension = 2, .values = values};
  std::vector<Label> one(points.count()), five(one.size());
  const ClusterSums a = assign_points(points, centroids, one, Threads{1});
  const ClusterSums b = assign_points(points, centroids, five, Threads{5});
  EXPECT_EQ(one, five);
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.inertia, b.inertia);
}

TEST(RepeatedAssignment, HasTheBitsOfLookingAtEveryPointInEveryRound) {
  for (const std::int64_t d : {1, 3, 4, 12}) {
    for (const std::int64_t clusters : {1, 3, 20}) {
      const std::vector<double> values = normal_numbers(d * (2 * points_per_block + 17), 5);
      const Points points{.dimension = d, .values = values};
      std::vector<double> centroids = normal_numbers(clusters * d, 6);
      std::vector<Label> labels(points.count()), expected_labels(labels.size());
      RepeatedAssignment repeated(points);
      for (int round = 0; round < 12; ++round) {
        const ClusterSums sums = repeated.assign(centroids, labels, Threads{round % 3 + 1});
        const ClusterSums expected = assign_points(points, centroids, expected_labels, Threads{1});
        ASSERT_EQ(labels, expected_labels) << d << ' ' << clusters << ' ' << round;
        ASSERT_EQ(sums.sum, expected.sum);
        ASSERT_EQ(sums.inertia, expected.inertia);
        // Moves of all sizes, some clusters not at all; in one round somebody else changes the labels.
        const std::vector<double> shift = normal_numbers(clusters * d, 100 + static_cast<std::uint64_t>(round));
        for (std::size_t i = 0; i < centroids.size(); ++i) {
          if ((i / static_cast<std::size_t>(d) + static_cast<std::size_t>(round)) % 4 != 0)
            centroids[i] += shift[i] * std::pow(0.2, round);
        }
        if (round == 5) {
          labels[7] = 0;
          repeated.changed();
        }
      }
    }
  }
}

// With and without kept sums of blocks (2,100 clusters are too many to keep them), with weights, without inertia.
TEST(RepeatedAssignment, HasTheBitsOfWeightedSums) {
  for (const std::int64_t clusters : {9, 2100}) {
    const std::vector<double> values = normal_numbers(points_per_block + 500, 51);
    std::vector<double> weights;
    for (std::size_t i = 0; i < values.size(); ++i) weights.push_back(1.0 + 0.1 * static_cast<double>(i % 7));
    const Points points{.dimension = 1, .values = values, .weights = weights};
    std::vector<double> centroids = normal_numbers(clusters, 52);
    std::vector<Label> labels(values.size()), expected_labels(values.size());
    RepeatedAssignment repeated(points, false);
    for (int round = 0; round < 5; ++round) {
      const ClusterSums sums = repeated.assign(centroids, labels, Threads{2});
      const ClusterSums expected = assign_points(points, centroids, expected_labels, Threads{1});
      ASSERT_EQ(labels, expected_labels) << clusters << ' ' << round;
      ASSERT_EQ(sums.sum, expected.sum);
      ASSERT_EQ(sums.weight, expected.weight);
      EXPECT_EQ(sums.inertia, 0.0);
      for (std::size_t k = 0; k < centroids.size(); k += 2) centroids[k] += 0.01;
    }
  }
}

TEST(RepeatedAssignment, IsExactOnTiesAndFarFromTheOrigin) {
  for (const double offset : {0.0, 1e6, 1e12}) {
    std::vector<double> values;
    for (int i = 0; i < 400; ++i) values.push_back(offset + i % 40);
    const Points points{.dimension = 1, .values = values};
    std::vector<double> centroids;
    for (int k = 0; k < 8; ++k) centroids.push_back(offset + 5.0 * k);
    std::vector<Label> labels(400), expected(400);
    RepeatedAssignment repeated(points);
    for (int round = 0; round < 6; ++round) {
      repeated.assign(centroids, labels, Threads{1});
      assign_points(points, centroids, expected, Threads{1});
      ASSERT_EQ(labels, expected) << offset << ' ' << round;
      for (std::size_t k = 0; k < centroids.size(); ++k) centroids[k] += k % 2 == 0 ? 0.5 : -0.5;
    }
  }
}

// Moves of all sizes, down to the last bits, against looking at every point in every round.
TEST(RepeatedBitAssignment, HasTheBitsOfLookingAtEveryPointInEveryRound) {
  const std::int64_t d = 70;
  const BinaryStates states = testing::random_bits_states(2 * points_per_block + 17, d, 0.1, 31);
  const BitPoints points = bit_points(states);
  for (const std::int64_t clusters : {1, 2, 20}) {
    // Rows of bits themselves at first, so that there are ties.
    const Column<double> dense = to_dense(states).values.widened();
    std::vector<double> centroids(dense.begin(), dense.begin() + clusters * d);
    std::vector<Label> labels(points.count()), expected_labels(labels.size());
    RepeatedBitAssignment repeated(points);
    for (int round = 0; round < 24; ++round) {
      const ClusterSums sums = repeated.assign(centroids, labels, Threads{round % 3 + 1});
      const ClusterSums expected = assign_points(points, centroids, expected_labels, Threads{1});
      ASSERT_EQ(labels, expected_labels) << clusters << ' ' << round;
      ASSERT_EQ(labels, nearest_labels(points, NearestBits(centroids, d), Threads{1}));
      ASSERT_EQ(sums.sum, expected.sum);
      ASSERT_EQ(sums.weight, expected.weight);
      ASSERT_EQ(sums.inertia, expected.inertia);
      const std::vector<double> shift = normal_numbers(clusters * d, 300 + static_cast<std::uint64_t>(round));
      for (std::size_t i = 0; i < centroids.size(); ++i) {
        if ((i / static_cast<std::size_t>(d) + static_cast<std::size_t>(round)) % 4 != 0)
          centroids[i] += 0.1 * shift[i] * std::pow(0.2, round);
      }
      if (round == 5) {
        labels[7] = 0;
        repeated.changed();
      }
    }
  }
}

TEST(Assignment, BitsAreAssignedAndAddedUpLikeTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(points_per_block + 100, 80, 0.1, 21);
  const Column<double> dense = to_dense(states).values.widened();
  const std::vector<double> centroids = testing::normal_numbers(std::int64_t{80} * 7, 22);
  std::vector<Label> labels(points_per_block + 100), expected_labels(labels.size());
  const ClusterSums sums = assign_points(bit_points(states), centroids, labels, Threads{1});
  const ClusterSums expected =
      assign_points(Points{.dimension = 80, .values = dense}, centroids, expected_labels, Threads{1});
  EXPECT_EQ(labels, expected_labels);
  EXPECT_EQ(sums.weight, expected.weight);
  EXPECT_EQ(sums.sum, expected.sum);
  EXPECT_NEAR(sums.inertia, expected.inertia, 1e-12 * expected.inertia);
  const ClusterSums threaded = assign_points(bit_points(states), centroids, labels, Threads{3});
  EXPECT_EQ(threaded.inertia, sums.inertia);
}

}  // namespace
}  // namespace starope
