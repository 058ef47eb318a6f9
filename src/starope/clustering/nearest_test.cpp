#include "starope/clustering/nearest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/base/instruction_sets.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using testing::for_each_instruction_set;
using testing::naive_labels;
using testing::normal_numbers;

std::vector<Label> labels_of(const std::vector<double>& rows, const std::vector<double>& centroids, std::int64_t d) {
  std::vector<Label> labels(rows.size() / static_cast<std::size_t>(d));
  NearestCentroid(centroids, d).label(rows, labels);
  return labels;
}

TEST(NearestCentroid, EqualsThePlainLoopOnRandomPoints) {
  for (const std::int64_t d : {1, 2, 4, 7, 33}) {
    for (const std::int64_t k : {1, 2, 3, 4, 5, 8, 50}) {
      const auto seed = static_cast<std::uint64_t>(100 * d + k);
      const std::vector<double> rows = normal_numbers(333 * d, seed), centroids = normal_numbers(k * d, seed + 50000);
      EXPECT_EQ(labels_of(rows, centroids, d), naive_labels(rows, centroids, d)) << "d = " << d << ", K = " << k;
    }
  }
}

TEST(NearestCentroid, EveryCountOfRowsIsLabeledToTheLast) {
  const std::vector<double> centroids = normal_numbers(6L * 3, 1);
  for (std::int64_t n = 0; n < 70; ++n) {
    const std::vector<double> rows = normal_numbers(n * 3, 2);
    EXPECT_EQ(labels_of(rows, centroids, 3), naive_labels(rows, centroids, 3)) << n;
  }
}

// A lattice around lattice points: most points have several nearest centroids, exactly equally far away.
TEST(NearestCentroid, TheFirstCentroidWinsATie) {
  EXPECT_EQ(labels_of({0.0}, {1, -1, 1, -1, 5}, 1), std::vector<Label>{0});
  EXPECT_EQ(labels_of({0.0}, {5, -1, 1, -1, 1}, 1), std::vector<Label>{1});
  for (const std::int64_t d : {1, 2, 3}) {
    Random random(Seed{static_cast<std::uint64_t>(d)}, Stream::test_data, 0);
    std::vector<double> rows(500 * d), centroids(static_cast<std::size_t>(12 * d));
    for (double& x : rows) x = static_cast<double>(random.below(9)) - 4.0;
    for (double& x : centroids) x = static_cast<double>(random.below(5)) - 2.0;
    EXPECT_EQ(labels_of(rows, centroids, d), naive_labels(rows, centroids, d)) << d;
  }
}

// Points that are off the bisector of two centroids by any power of ten down to nothing: single precision cannot tell
// the sides apart below 1e-7, so this fails wherever the quick look is believed without right.
TEST(NearestCentroid, IsExactHoweverCloseTheRunnerUp) {
  for_each_instruction_set([] {
    for (const std::int64_t d : {1, 2, 5, 16, 100}) {
      const auto width = static_cast<std::size_t>(d);
      std::vector<double> centroids = normal_numbers(8 * d, static_cast<std::uint64_t>(d));
      for (std::size_t i = 2 * width; i < centroids.size(); ++i) centroids[i] += 8.0;  // only 0 and 1 are near
      const std::vector<double> noise = normal_numbers(5000, 9);
      std::vector<double> rows;
      for (std::size_t i = 0; i < noise.size(); ++i) {
        const double off = noise[i] * std::pow(10.0, -static_cast<double>(i % 160) / 10.0);
        for (std::size_t j = 0; j < width; ++j) {
          const double a = centroids[j], b = centroids[width + j];
          rows.push_back((a + b) / 2.0 + off * (a - b));
        }
      }
      const auto labels = labels_of(rows, centroids, d);
      EXPECT_EQ(labels, naive_labels(rows, centroids, d)) << d;
      EXPECT_THAT(labels, ::testing::Contains(0));
      EXPECT_THAT(labels, ::testing::Contains(1));
    }
  });
}

TEST(NearestCentroid, FarFromTheOriginAndInAnyUnit) {
  for (const double unit : {1e-300, 1e-160, 1e-40, 1e-20, 1e-6, 1.0, 1e6, 1e14, 1e16, 1e19, 1e30, 1e160, 1e300}) {
    for (const double offset : {0.0, 1.0, 1e5, 1e12}) {
      std::vector<double> rows = normal_numbers(200L * 3, 5), centroids = normal_numbers(9L * 3, 6);
      for (double& x : rows) x = (x + offset) * unit;
      for (double& x : centroids) x = (x + offset) * unit;
      EXPECT_EQ(labels_of(rows, centroids, 3), naive_labels(rows, centroids, 3)) << unit << " " << offset;
    }
  }
}

TEST(NearestCentroid, PointsFarFromAllCentroids) {
  for (const double away : {1e3, 1e8, 1e18, 1e25, 1e150, 1e200, 1e308}) {
    std::vector<double> rows = normal_numbers(200L * 3, 7);
    for (std::size_t i = 0; i < rows.size(); i += 4) rows[i] *= away;
    for (double& x : rows) x = std::clamp(x, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
    const std::vector<double> centroids = normal_numbers(9L * 3, 8);
    EXPECT_EQ(labels_of(rows, centroids, 3), naive_labels(rows, centroids, 3)) << away;
  }
}

TEST(NearestCentroid, EveryInstructionSetGivesTheSameLabels) {
  int sets = 0;
  for_each_instruction_set([&] {
    for (const std::int64_t d : {1, 4, 33}) {
      const std::vector<double> rows = normal_numbers(301 * d, 11), centroids = normal_numbers(13 * d, 12);
      EXPECT_EQ(labels_of(rows, centroids, d), naive_labels(rows, centroids, d)) << d;
    }
    ++sets;
  });
  EXPECT_GE(sets, 1);
}

TEST(NearestCentroid, SeveralBlocksOnSeveralThreads) {
  const std::vector<double> values = normal_numbers(2 * (3 * points_per_block + 5), 13);
  const std::vector<double> centroids = normal_numbers(2L * 20, 14);
  const Points points{.dimension = 2, .values = values};
  const NearestCentroid nearest(centroids, 2);
  EXPECT_EQ(nearest.clusters(), 20);
  const auto labels = nearest_labels(points, nearest, Threads{1});
  EXPECT_EQ(labels, naive_labels(values, centroids, 2));
  EXPECT_EQ(nearest_labels(points, nearest, Threads{4}), labels);
}

TEST(NearestCentroid, RefusesWhatIsNoTable) {
  const std::vector<double> values{1, 2, 3};
  EXPECT_THROW(NearestCentroid(values, 2), InvalidArgument);
  EXPECT_THROW(NearestCentroid(values, 0), InvalidArgument);
  EXPECT_THROW(NearestCentroid({}, 1), InvalidArgument);
}

// Never more than the truth, or labels would be kept that are wrong; nearly all of it, or nothing would be gained.
TEST(NearestCentroid, LeadsAreSharpLowerBounds) {
  const std::int64_t d = 4, clusters = 9;
  const std::vector<double> rows = testing::normal_numbers(500 * d, 41),
                            centroids = testing::normal_numbers(clusters * d, 42);
  const NearestCentroid nearest(centroids, d);
  std::vector<Label> which, labels(500, Label{99});
  for (Label i = 0; i < 500; i += 3) which.push_back(i);
  std::vector<float> leads(which.size(), -1.0F);
  nearest.label_some(which, rows, labels, leads);
  const std::vector<Label> expected = testing::naive_labels(rows, centroids, d);
  for (std::size_t i = 0; i < 500; ++i) {
    if (i % 3 != 0) {
      EXPECT_EQ(labels[i], 99U);
      continue;
    }
    EXPECT_EQ(labels[i], expected[i]);
    std::vector<double> away;
    const auto row = std::span(rows).subspan(i * 4, 4);
    for (std::size_t k = 0; k < 9; ++k) {
      away.push_back(std::sqrt(testing::squared_distance(row, std::span(centroids).subspan(k * 4, 4))));
    }
    std::sort(away.begin(), away.end());
    const double lead = away[1] - away[0];
    EXPECT_LE(static_cast<double>(leads[i / 3]), lead) << i;
    EXPECT_GT(static_cast<double>(leads[i / 3]), lead - 1e-3) << i;
  }
}

}  // namespace
}  // namespace starope
