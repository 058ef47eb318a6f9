#include "starope/clustering/nearest_bits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/base/instruction_sets.hpp"
#include "starope/clustering/points.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using testing::for_each_instruction_set;
using testing::naive_labels;
using testing::normal_numbers;
using testing::random_bits_states;

std::vector<Label> labels_of(const BinaryStates& states, const std::vector<double>& centroids) {
  std::vector<Label> labels(bit_points(states).count());
  NearestBits(centroids, states.dimension).label(bit_points(states), labels);
  return labels;
}

std::vector<Label> plain(const BinaryStates& states, const std::vector<double>& centroids) {
  return naive_labels(to_dense(states).values.widened(), centroids, states.dimension);
}

TEST(NearestBits, EqualsThePlainLoopOnNumbers) {
  for_each_instruction_set([] {
    for (const std::int64_t d : {1, 5, 64, 65, 400}) {
      for (const std::int64_t k : {1, 2, 7, 32, 33, 100}) {
        const auto seed = static_cast<std::uint64_t>(1000 * d + k);
        const BinaryStates states = random_bits_states(200, d, 0.1, seed);
        const std::vector<double> centroids = normal_numbers(k * d, seed + 1);
        EXPECT_EQ(labels_of(states, centroids), plain(states, centroids)) << "d = " << d << ", K = " << k;
      }
    }
  });
}

TEST(NearestBits, TheFirstOfEquallyNearRowsOfBitsWins) {
  const BinaryStates states = random_bits_states(300, 100, 0.05, 3);
  const Column<double> dense = to_dense(states).values.widened();
  const std::vector<double> centroids(dense.begin(), dense.begin() + 40L * 100);  // distances are small integers
  const std::vector<Label> labels = labels_of(states, centroids);
  EXPECT_EQ(labels, plain(states, centroids));
}

// Pairs of centroids whose distances from every row differ by any power of ten down to the last bit: fails wherever
// single precision is believed without right.
TEST(NearestBits, IsExactHoweverCloseTheRunnerUp) {
  const std::int64_t d = 130;
  const BinaryStates states = random_bits_states(400, d, 0.1, 4);
  for (int power = 0; power <= 17; ++power) {
    std::vector<double> centroids = normal_numbers(6 * d, 5);
    for (double& x : centroids) x = 0.1 + 0.02 * x;
    const std::vector<double> noise = normal_numbers(3 * d, 6);
    for (std::size_t i = 0; i < noise.size(); ++i) {
      centroids[i + noise.size()] = centroids[i] + noise[i] * std::pow(10.0, -power);
    }
    EXPECT_EQ(labels_of(states, centroids), plain(states, centroids)) << power;
  }
}

TEST(NearestBits, CentroidsOfAnySize) {
  const BinaryStates states = random_bits_states(100, 70, 0.3, 7);
  for (const double unit : {1e-300, 1e-160, 1e-40, 1e-20, 1e-3, 1e3, 1e14, 1e16, 1e160}) {
    std::vector<double> centroids = normal_numbers(9L * 70, 8);
    for (double& x : centroids) x *= unit;
    EXPECT_EQ(labels_of(states, centroids), plain(states, centroids)) << unit;
  }
}

TEST(NearestBits, SeveralBlocksOnSeveralThreads) {
  const BinaryStates states = random_bits_states(2 * points_per_block + 5, 20, 0.3, 9);
  const std::vector<double> centroids = normal_numbers(20L * 5, 10);
  const NearestBits nearest(centroids, 20);
  EXPECT_EQ(nearest.clusters(), 5);
  const auto labels = nearest_labels(bit_points(states), nearest, Threads{1});
  EXPECT_EQ(labels, plain(states, centroids));
  EXPECT_EQ(nearest_labels(bit_points(states), nearest, Threads{3}), labels);
}

// Never more than the truth, or labels would be kept that are wrong; nearly all of it, or nothing would be gained.
TEST(NearestBits, LeadsAreSharpLowerBounds) {
  const std::int64_t d = 150, clusters = 41;
  const BinaryStates states = random_bits_states(600, d, 0.1, 11);
  const Column<double> dense = to_dense(states).values.widened();
  std::vector<double> centroids = normal_numbers(clusters * d, 12);
  for (double& x : centroids) x = 0.1 + 0.1 * x;
  std::vector<Label> which, labels(600, Label{99});
  for (Label i = 0; i < 600; i += 3) which.push_back(i);
  std::vector<double> leads(which.size(), -1.0);
  NearestBits(centroids, d).label_some(which, bit_points(states), labels, leads);
  const std::vector<Label> expected = plain(states, centroids);
  for (std::size_t i = 0; i < 600; ++i) {
    if (i % 3 != 0) {
      EXPECT_EQ(labels[i], 99U);
      continue;
    }
    EXPECT_EQ(labels[i], expected[i]);
    std::vector<double> away;
    for (std::size_t k = 0; k < 41; ++k) {
      away.push_back(std::sqrt(testing::squared_distance(std::span(dense).subspan(i * 150, 150),
                                                         std::span(centroids).subspan(k * 150, 150))));
    }
    std::sort(away.begin(), away.end());
    const double lead = away[1] - away[0];
    EXPECT_LE(leads[i / 3], lead) << i;
    EXPECT_GT(leads[i / 3], lead - 1e-4) << i;
  }
}

TEST(NearestBits, TiesHaveNoLead) {
  const BinaryStates states = random_bits_states(50, 70, 0.3, 13);
  std::vector<double> centroids = normal_numbers(2L * 70, 14);
  std::copy_n(centroids.begin(), 70, centroids.begin() + 70);
  const std::vector<Label> which{3, 30};
  std::vector<Label> labels(50, Label{99});
  std::vector<double> leads(2, -1.0);
  NearestBits(centroids, 70).label_some(which, bit_points(states), labels, leads);
  EXPECT_EQ(labels[3], 0U);
  EXPECT_EQ(labels[30], 0U);
  EXPECT_EQ(leads, std::vector<double>(2, 0.0));
}

TEST(NearestBits, RefusesWhatIsNoTable) {
  const std::vector<double> values{1, 2, 3};
  EXPECT_THROW(NearestBits(values, 2), InvalidArgument);
  EXPECT_THROW(NearestBits(values, 0), InvalidArgument);
  EXPECT_THROW(NearestBits({}, 1), InvalidArgument);
}

}  // namespace
}  // namespace starope
