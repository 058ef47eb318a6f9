#include "starope/clustering/lloyd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::naive_labels;
using testing::normal_numbers;
using ::testing::Pointwise;
using testing::squared_distance;

std::vector<double> first_points(const Points& points, std::int64_t k) {
  const auto rows = points.rows(0, k);
  return {rows.begin(), rows.end()};
}

TEST(Lloyd, ByHand) {
  const std::vector<double> values{0, 2, 10, 12};
  const LloydFit fit = lloyd({.dimension = 1, .values = values}, {0, 2});
  // {0 | 2 10 12}, means 0 and 8; {0 2 | 10 12}, means 1 and 11; the same again.
  EXPECT_THAT(fit.centroids, ElementsAre(1.0, 11.0));
  EXPECT_THAT(fit.inertia, ElementsAre(64.0 + 100.0, 4.0 + 4.0 + 16.0, 4.0));
  EXPECT_EQ(fit.iterations, 3);
  EXPECT_TRUE(fit.converged);
}

TEST(Lloyd, EqualsAPlainImplementation) {
  for (const std::int64_t d : {1, 3, 6}) {
    const auto width = static_cast<std::size_t>(d);
    const std::vector<double> values = normal_numbers(300 * d, static_cast<std::uint64_t>(d));
    const Points points{.dimension = d, .values = values};
    std::vector<double> centroids = first_points(points, 6);
    const LloydFit fit = lloyd(points, centroids, {.max_iterations = 7, .tolerance = 0.0});
    for (int iteration = 0; iteration < 7; ++iteration) {
      const auto labels = naive_labels(values, centroids, d);
      double inertia = 0.0;
      std::vector<double> sum(centroids.size(), 0.0), count(6, 0.0);
      for (std::int64_t i = 0; i < points.count(); ++i) {
        const std::size_t k = labels[i];
        inertia += squared_distance(points.row(i), std::span(centroids).subspan(k * width, width));
        count[k] += 1.0;
        for (std::size_t j = 0; j < width; ++j) sum[k * width + j] += points.row(i)[j];
      }
      EXPECT_NEAR(fit.inertia[iteration], inertia, 1e-9);
      for (std::size_t i = 0; i < sum.size(); ++i) centroids[i] = sum[i] / count[i / width];
    }
    EXPECT_THAT(fit.centroids, Pointwise(DoubleNear(1e-12), centroids));
  }
}

TEST(Lloyd, InertiaNeverIncreases) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> values = normal_numbers(std::int64_t{2} * 400, seed);
    const Points points{.dimension = 2, .values = values};
    // Ten of the fifteen centroids start where there is no point: they are empty at first.
    std::vector<double> start = first_points(points, 15);
    for (std::size_t i = 10; i < start.size(); ++i) start[i] += 1000.0;
    for (const EmptyClusters empty : {EmptyClusters::keep, EmptyClusters::repair}) {
      const LloydFit fit = lloyd(points, start, {.tolerance = 0.0, .empty = empty});
      EXPECT_TRUE(fit.converged);
      ASSERT_EQ(fit.inertia.size(), static_cast<std::size_t>(fit.iterations));
      for (std::size_t i = 1; i < fit.inertia.size(); ++i)
        EXPECT_LE(fit.inertia[i], fit.inertia[i - 1] * (1.0 + 1e-14));
    }
  }
}

TEST(Lloyd, RepairFillsEveryClusterAndKeepLeavesCentroidsWhereTheyAre) {
  const std::vector<double> values = normal_numbers(std::int64_t{2} * 400, 77);
  const Points points{.dimension = 2, .values = values};
  std::vector<double> start = first_points(points, 8);
  for (std::size_t i = 8; i < start.size(); ++i) start[i] += 1000.0;

  const LloydFit repaired = lloyd(points, start);
  auto labels = naive_labels(values, repaired.centroids, 2);
  for (Label k = 0; k < 8; ++k) EXPECT_THAT(labels, ::testing::Contains(k));

  const LloydFit kept = lloyd(points, start, {.empty = EmptyClusters::keep});
  labels = naive_labels(values, kept.centroids, 2);
  EXPECT_LT(*std::max_element(labels.begin(), labels.end()), 4u);
  EXPECT_TRUE(std::equal(start.begin() + 8, start.end(), kept.centroids.begin() + 8));
  EXPECT_LT(repaired.inertia.back(), kept.inertia.back());
}

TEST(Lloyd, MoreClustersThanDistinctPointsEndWithoutError) {
  const std::vector<double> values{1, 1, 1, 5, 5};
  const LloydFit fit = lloyd({.dimension = 1, .values = values}, {0, 2, 6, 9});
  EXPECT_TRUE(fit.converged);
  const auto labels = naive_labels(values, fit.centroids, 1);
  EXPECT_NE(labels[0], labels[3]);
  EXPECT_EQ(fit.inertia.back(), 0.0);
}

TEST(Lloyd, WeightsCountLikeRepetitions) {
  const std::vector<double> once = normal_numbers(std::int64_t{3} * 50, 21);
  std::vector<double> weights, repeated;
  for (std::size_t i = 0; i < 50; ++i) {
    weights.push_back(static_cast<double>(1 + i % 4));
    for (std::size_t r = 0; r < 1 + i % 4; ++r) {
      repeated.insert(repeated.end(), once.begin() + static_cast<std::ptrdiff_t>(3 * i),
                      once.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    }
  }
  const Points weighted{.dimension = 3, .values = once, .weights = weights};
  const auto start = first_points(weighted, 5);
  const LloydFit a = lloyd(weighted, start);
  const LloydFit b = lloyd({.dimension = 3, .values = repeated}, start);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_THAT(a.centroids, Pointwise(DoubleNear(1e-12), b.centroids));
  EXPECT_THAT(a.inertia, Pointwise(DoubleNear(1e-9), b.inertia));
  // And scaling all weights changes nothing but the inertia.
  for (double& w : weights) w *= 8.0;
  const LloydFit c = lloyd(weighted, start);
  EXPECT_EQ(c.centroids, a.centroids);
}

TEST(Lloyd, ToleranceIsAShareOfTheSpread) {
  // Whatever the unit, the same number of iterations; and a coarser tolerance stops earlier.
  const std::vector<double> values = normal_numbers(std::int64_t{2} * 500, 31);
  std::vector<double> large = values;
  for (double& x : large) x *= 1024.0;  // a power of two: not even the rounding differs
  const auto run = [](const std::vector<double>& v, double tolerance) {
    const Points points{.dimension = 2, .values = v};
    return lloyd(points, first_points(points, 10), {.max_iterations = 1000, .tolerance = tolerance});
  };
  EXPECT_EQ(run(values, 1e-3).iterations, run(large, 1e-3).iterations);
  EXPECT_LT(run(values, 3e-2).iterations, run(values, 1e-9).iterations);
  EXPECT_TRUE(run(values, 1e-3).converged);
}

TEST(Lloyd, SaysWhenItHasNotConverged) {
  const std::vector<double> values = normal_numbers(std::int64_t{2} * 500, 31);
  const Points points{.dimension = 2, .values = values};
  const LloydFit fit = lloyd(points, first_points(points, 10), {.max_iterations = 2});
  EXPECT_EQ(fit.iterations, 2);
  EXPECT_FALSE(fit.converged);
}

TEST(Lloyd, TheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> values = normal_numbers(3 * (4 * points_per_block + 99), 41);
  const Points points{.dimension = 3, .values = values};
  const auto start = first_points(points, 12);
  const LloydFit one = lloyd(points, start, {.max_iterations = 10, .threads = Threads{1}});
  for (const int threads : {2, 7}) {
    const LloydFit many = lloyd(points, start, {.max_iterations = 10, .threads = Threads{threads}});
    EXPECT_EQ(many.centroids, one.centroids);
    EXPECT_EQ(many.inertia, one.inertia);
  }
}

TEST(Lloyd, SaysTheInertiaOnlyWhereItIsWanted) {
  const std::vector<double> values = normal_numbers(std::int64_t{2} * 500, 61);
  const Points points{.dimension = 2, .values = values};
  const LloydFit with = lloyd(points, first_points(points, 10)),
                 without = lloyd(points, first_points(points, 10), {.inertia = false});
  EXPECT_EQ(without.centroids, with.centroids);
  EXPECT_EQ(without.iterations, with.iterations);
  EXPECT_TRUE(without.inertia.empty());
}

TEST(Lloyd, RefusesWrongCalls) {
  const std::vector<double> values{1, 2, 3, 4};
  const Points points{.dimension = 2, .values = values};
  EXPECT_THROW(lloyd(points, {1, 2, 3}), InvalidArgument);
  EXPECT_THROW(lloyd(points, {}), InvalidArgument);
  EXPECT_THROW(lloyd(points, {1, std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(lloyd(points, {1, 2}, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(lloyd(points, {1, 2}, {.tolerance = -1.0}), InvalidArgument);
}

// Labels are those of the plain loop and sums of bits are exact, so even the last bits of the centroids agree.
TEST(Lloyd, BitsGiveTheCentroidsOfTheirDenseRows) {
  for (const double share : {0.03, 0.3}) {
    const BinaryStates states = testing::random_bits_states(2000, 90, share, 41);
    const Column<double> dense = to_dense(states).values.widened();
    const Points points{.dimension = 90, .values = dense};
    const LloydOptions options{.max_iterations = 12, .tolerance = 0.0};
    const LloydFit fit = lloyd(bit_points(states), first_points(points, 9), options);
    const LloydFit expected = lloyd(points, first_points(points, 9), options);
    EXPECT_EQ(fit.centroids, expected.centroids);
    EXPECT_EQ(fit.iterations, expected.iterations);
    ASSERT_EQ(fit.inertia.size(), expected.inertia.size());
    for (std::size_t i = 0; i < fit.inertia.size(); ++i) {
      EXPECT_NEAR(fit.inertia[i], expected.inertia[i], 1e-12 * expected.inertia[i]);
    }
  }
}

TEST(Lloyd, BitsStopAtTheToleranceOfTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(2000, 50, 0.1, 42);
  const Column<double> dense = to_dense(states).values.widened();
  const Points points{.dimension = 50, .values = dense};
  const LloydFit fit = lloyd(bit_points(states), first_points(points, 8), {.tolerance = 0.02});
  EXPECT_TRUE(fit.converged);
  EXPECT_EQ(fit.iterations, lloyd(points, first_points(points, 8), {.tolerance = 0.02}).iterations);
  EXPECT_LT(fit.iterations, lloyd(bit_points(states), first_points(points, 8), {.tolerance = 0.0}).iterations);
}

}  // namespace
}  // namespace starope
