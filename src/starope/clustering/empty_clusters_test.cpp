#include "starope/clustering/empty_clusters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

// Points on a line, assigned to the given centroids.
struct Line {
  explicit Line(std::vector<double> points, const std::vector<double>& centroids,
                std::vector<double> point_weights = {})
      : values(std::move(points)),
        weights(std::move(point_weights)),
        labels(values.size()),
        sums(assign_points(view(), centroids, labels, Threads{1})) {}
  Points view() const { return {.dimension = 1, .values = values, .weights = weights}; }
  std::vector<double> values, weights;
  std::vector<Label> labels;
  ClusterSums sums;
};

TEST(EmptyClusters, GetTheFarthestPoint) {
  Line line({0, 1, 2, 10, 50, 51}, {1, 50, 1000});  // means 3.25 and 50.5
  EXPECT_EQ(fill_empty_clusters(line.view(), line.labels, line.sums), 1);
  EXPECT_THAT(line.labels, ElementsAre(0, 0, 0, 2, 1, 1));
  EXPECT_THAT(line.sums.weight, ElementsAre(3, 2, 1));
  EXPECT_THAT(line.sums.sum, ElementsAre(3, 101, 10));
}

TEST(EmptyClusters, DistanceIsMeasuredFromTheMeansThatTheGiversHaveByThen) {
  // First 40 leaves (mean 17.5), then 30 (mean 10 of {0, 30, 0}), not one of the zeros.
  Line line({0, 30, 40, 0}, {20, 1000, 2000});
  EXPECT_EQ(fill_empty_clusters(line.view(), line.labels, line.sums), 2);
  EXPECT_THAT(line.labels, ElementsAre(0, 2, 1, 0));
}

TEST(EmptyClusters, TheFirstOfEquallyFarPointsLeaves) {
  Line line({4, 0, 104, 100}, {2, 102, 1000});
  EXPECT_EQ(fill_empty_clusters(line.view(), line.labels, line.sums), 1);
  EXPECT_THAT(line.labels, ElementsAre(2, 0, 1, 1));
}

TEST(EmptyClusters, DuplicatesLeaveTogether) {
  Line line({0, 9, 0, 9, 0, 0, 0, 0}, {1, 100, 200}, {1, 1, 1, 2, 1, 1, 1, 1});
  EXPECT_EQ(fill_empty_clusters(line.view(), line.labels, line.sums),
            1);  // then every cluster holds one distinct point
  EXPECT_THAT(line.labels, ElementsAre(0, 1, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(line.sums.weight, ElementsAre(6, 3, 0));
}

TEST(EmptyClusters, AClusterOfOneDistinctPointGivesNothing) {
  // Five equal points, far from their centroid, and two unequal ones close to each other.
  Line line({0, 0, 0, 0, 0, 100, 101}, {30, 100, 1000, 2000, 3000});
  EXPECT_EQ(fill_empty_clusters(line.view(), line.labels, line.sums), 1);
  EXPECT_THAT(line.labels, ElementsAre(0, 0, 0, 0, 0, 2, 1));
}

TEST(EmptyClusters, BitsAreMovedLikeTheirDenseRows) {
  // One cluster of everything, two empty ones; row 5 and its duplicate 6 are far from the rest.
  std::vector<std::uint64_t> words = testing::random_bits_states(5, 40, 0.05, 31).words.to_vector();
  const std::vector<double> odd(40, 1.0);
  append_bits(words, odd);
  append_bits(words, odd);
  const BinaryStates states{.dimension = 40, .words = std::move(words)};
  const Column<double> dense = to_dense(states).values.widened();
  const Points points{.dimension = 40, .values = dense};
  const std::vector<double> centroids(std::size_t{3} * 40, 0.0);
  std::vector<Label> labels(7), expected_labels(7);
  ClusterSums sums = assign_points(bit_points(states), centroids, labels, Threads{1});
  ClusterSums expected = assign_points(points, centroids, expected_labels, Threads{1});
  EXPECT_EQ(fill_empty_clusters(bit_points(states), labels, sums), 2);
  EXPECT_EQ(fill_empty_clusters(points, expected_labels, expected), 2);
  EXPECT_EQ(labels, expected_labels);
  EXPECT_EQ(labels[5], 1u);
  EXPECT_EQ(labels[6], 1u);
  EXPECT_EQ(sums.weight, expected.weight);
  EXPECT_EQ(sums.sum, expected.sum);
}

}  // namespace
}  // namespace starope
