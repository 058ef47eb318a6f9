#include "starope/clustering/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using testing::normal_numbers;

TEST(Points, SummaryOfASmallTable) {
  const std::vector<double> values{1, 10, 3, 10, 5, 10};
  const ColumnSummary summary = summarize_columns({.dimension = 2, .values = values}, Threads{1});
  EXPECT_THAT(summary.mean, ElementsAre(3.0, 10.0));
  EXPECT_DOUBLE_EQ(summary.variance[0], 8.0 / 3.0);
  EXPECT_EQ(summary.variance[1], 0.0);
  EXPECT_THAT(summary.lowest, ElementsAre(1.0, 10.0));
  EXPECT_THAT(summary.highest, ElementsAre(5.0, 10.0));
}

TEST(Points, WeightsCountLikeRepetitions) {
  const std::vector<double> once{1, 2, 7}, weights{2, 1, 3}, repeated{1, 1, 2, 7, 7, 7};
  const auto weighted = summarize_columns({.dimension = 1, .values = once, .weights = weights}, Threads{1});
  const auto plain = summarize_columns({.dimension = 1, .values = repeated}, Threads{1});
  EXPECT_DOUBLE_EQ(weighted.mean[0], plain.mean[0]);
  EXPECT_DOUBLE_EQ(weighted.variance[0], plain.variance[0]);
}

TEST(Points, SummaryHasTheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> values = normal_numbers(3 * (5 * points_per_block + 17), 1);
  const Points points{.dimension = 3, .values = values};
  const auto one = summarize_columns(points, Threads{1});
  const auto four = summarize_columns(points, Threads{4});
  EXPECT_EQ(one.mean, four.mean);
  EXPECT_EQ(one.variance, four.variance);
  EXPECT_NEAR(one.mean[0], 0.0, 0.05);
  EXPECT_NEAR(one.variance[0], 1.0, 0.05);
}

TEST(Points, BlocksCoverEveryPointOnce) {
  for (const std::int64_t count : {std::int64_t{1}, points_per_block, 2 * points_per_block + 1}) {
    std::vector<int> seen(count, 0);
    for_each_point_block(count, Threads{3}, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) ++seen[i];
    });
    EXPECT_THAT(seen, ::testing::Each(1));
  }
}

TEST(Points, RefusesWhatDoesNotFitTogether) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6}, two{1, 1}, three{1, 0, 1}, good{1, 0.5, 2};
  EXPECT_NO_THROW(check_points({.dimension = 2, .values = values, .weights = good}));
  EXPECT_THROW(check_points({.dimension = 0, .values = values}), InvalidArgument);
  EXPECT_THROW(check_points({.dimension = 4, .values = values}), InvalidArgument);
  EXPECT_THROW(check_points({.dimension = 2, .values = {}}), InvalidArgument);
  EXPECT_THROW(check_points({.dimension = 2, .values = values, .weights = two}), InvalidArgument);
  EXPECT_THROW(check_points({.dimension = 2, .values = values, .weights = three}), InvalidArgument);
}

}  // namespace
}  // namespace starope
