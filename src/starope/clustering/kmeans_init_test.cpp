#include "starope/clustering/kmeans_init.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using testing::blobs;
using testing::normal_numbers;

constexpr KMeansInit both[] = {KMeansInit::random, KMeansInit::plus_plus};

std::set<std::vector<double>> rows_of(const std::vector<double>& values, std::size_t d) {
  std::set<std::vector<double>> rows;
  for (auto at = values.begin(); at != values.end(); at += static_cast<std::ptrdiff_t>(d)) {
    rows.emplace(at, at + static_cast<std::ptrdiff_t>(d));
  }
  return rows;
}

TEST(KMeansInit, ChoosesDistinctPoints) {
  // 25 distinct points, most of them many times.
  Random random(Seed{5}, Stream::test_data, 0);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) values.push_back(static_cast<double>(random.below(5)));
  const Points points{.dimension = 2, .values = values};
  const auto all = rows_of(values, 2);
  ASSERT_EQ(all.size(), 25u);
  for (const KMeansInit init : both) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto chosen = initial_centroids(init, points, 20, Seed{seed});
      EXPECT_EQ(chosen.size(), 40u);
      const auto rows = rows_of(chosen, 2);
      EXPECT_EQ(rows.size(), 20u);
      EXPECT_TRUE(std::includes(all.begin(), all.end(), rows.begin(), rows.end()));
    }
  }
}

TEST(KMeansInit, GivesAllDistinctPointsIfThereAreTooFew) {
  const std::vector<double> values{3, 1, 1, 3, 2, 2, 1};
  for (const KMeansInit init : both) {
    auto chosen = initial_centroids(init, {.dimension = 1, .values = values}, 8, Seed{1});
    std::sort(chosen.begin(), chosen.end());
    EXPECT_THAT(chosen, ::testing::ElementsAre(1.0, 2.0, 3.0));
  }
}

TEST(KMeansInit, IsAFunctionOfTheSeed) {
  const std::vector<double> values = normal_numbers(200, 1);
  for (const KMeansInit init : both) {
    const Points points{.dimension = 1, .values = values};
    EXPECT_EQ(initial_centroids(init, points, 5, Seed{7}), initial_centroids(init, points, 5, Seed{7}));
    EXPECT_NE(initial_centroids(init, points, 5, Seed{7}), initial_centroids(init, points, 5, Seed{8}));
  }
}

// Of the points 0 (six times), 1 (three times) and 3 (once), chi-squared over many seeds.
TEST(KMeansInit, RandomDrawsByFrequency) {
  const std::vector<double> values{0, 0, 1, 0, 3, 1, 0, 0, 1, 0};
  std::map<double, int> first;
  int then_one = 0, zero_first = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto chosen = initial_centroids(KMeansInit::random, {.dimension = 1, .values = values}, 2, Seed{seed});
    ++first[chosen[0]];
    if (chosen[0] != 0.0) continue;
    ++zero_first;
    then_one += chosen[1] == 1.0 ? 1 : 0;
  }
  EXPECT_NEAR(first[0.0] / 4000.0, 0.6, 0.04);
  EXPECT_NEAR(first[1.0] / 4000.0, 0.3, 0.04);
  EXPECT_NEAR(first[3.0] / 4000.0, 0.1, 0.02);
  EXPECT_NEAR(static_cast<double>(then_one) / zero_first, 0.75, 0.04);  // 3 of the 4 points left
}

TEST(KMeansInit, PlusPlusDrawsBySquaredDistance) {
  const std::vector<double> values{0, 1, 3};
  int zero_first = 0, then_three = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const auto chosen = initial_centroids(KMeansInit::plus_plus, {.dimension = 1, .values = values}, 2, Seed{seed});
    if (chosen[0] != 0.0) continue;
    ++zero_first;
    then_three += chosen[1] == 3.0 ? 1 : 0;
  }
  EXPECT_NEAR(zero_first / 6000.0, 1.0 / 3.0, 0.03);
  EXPECT_NEAR(static_cast<double>(then_three) / zero_first, 0.9, 0.03);  // 9 / (1 + 9)
}

TEST(KMeansInit, PlusPlusFindsRarePointsInAnyBlock) {
  // One far point among many equal ones: the only candidate for the second centroid, wherever it stands.
  for (const std::int64_t place : {std::int64_t{0}, points_per_block - 1, points_per_block, 3 * points_per_block + 4}) {
    std::vector<double> values(3 * points_per_block + 5, 2.0);
    values[place] = 7.0;
    auto chosen = initial_centroids(KMeansInit::plus_plus, {.dimension = 1, .values = values}, 3, Seed{4});
    std::sort(chosen.begin(), chosen.end());
    EXPECT_THAT(chosen, ::testing::ElementsAre(2.0, 7.0)) << place;
  }
}

TEST(KMeansInit, TheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> values = normal_numbers(2 * (3 * points_per_block + 7), 6);
  const Points points{.dimension = 2, .values = values};
  for (const KMeansInit init : both) {
    EXPECT_EQ(initial_centroids(init, points, 30, Seed{1}, Threads{1}),
              initial_centroids(init, points, 30, Seed{1}, Threads{4}));
  }
}

TEST(KMeansInit, PlusPlusEndsLowerThanRandomOnSeparatedBlobs) {
  std::vector<double> centers;
  for (int i = 0; i < 12; ++i) {
    centers.push_back(10.0 * (i % 4));
    centers.push_back(10.0 * (i / 4));  // NOLINT(bugprone-integer-division): rows of a lattice
  }
  const std::vector<double> values = blobs(centers, 20, 0.5, 3);
  const Points points{.dimension = 2, .values = values};
  double random = 0.0, plus_plus = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    random += lloyd(points, initial_centroids(KMeansInit::random, points, 12, Seed{seed})).inertia.back();
    plus_plus += lloyd(points, initial_centroids(KMeansInit::plus_plus, points, 12, Seed{seed})).inertia.back();
  }
  EXPECT_LT(plus_plus, 0.7 * random);
}

TEST(KMeansInit, RefusesWrongCalls) {
  const std::vector<double> values{1, 2};
  EXPECT_THROW(initial_centroids(KMeansInit::random, {.dimension = 1, .values = values}, 0, Seed{}), InvalidArgument);
  EXPECT_THROW(initial_centroids(KMeansInit::random, {.dimension = 1, .values = values, .weights = values}, 1, Seed{}),
               InvalidArgument);
}

TEST(KMeansInit, BitsChooseTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(points_per_block + 50, 12, 0.1, 51);  // many duplicates
  const Column<double> dense = to_dense(states).values.widened();
  const Points points{.dimension = 12, .values = dense};
  for (const KMeansInit init : {KMeansInit::random, KMeansInit::plus_plus}) {
    for (const std::int64_t k : {1, 20, 100000}) {
      EXPECT_EQ(initial_centroids(init, bit_points(states), k, Seed{3}), initial_centroids(init, points, k, Seed{3}));
    }
  }
}

}  // namespace
}  // namespace starope
