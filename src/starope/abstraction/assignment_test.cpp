#include "starope/abstraction/assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/abstraction/testing.hpp"

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
      const std::size_t k = labels[static_cast<std::size_t>(i)];
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
  std::vector<Label> one(static_cast<std::size_t>(points.count())), five(one.size());
  const ClusterSums a = assign_points(points, centroids, one, Threads{1});
  const ClusterSums b = assign_points(points, centroids, five, Threads{5});
  EXPECT_EQ(one, five);
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.inertia, b.inertia);
}

}  // namespace
}  // namespace starope
