#include "starope/auto/slow_features.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Fitted to the logs and applied to them.
BagFeatures slow_features(const Problem& problem) {
  if (std::holds_alternative<DiscreteStates>(problem.data().states())) {
    const SlowIds slow = fit_slow_ids(problem);
    return slow.features == 0 ? BagFeatures{} : apply(slow, problem.data());
  }
  const SlowColumns slow = fit_slow_columns(problem);
  return slow.features == 0 ? BagFeatures{} : apply(slow, problem.data());
}

// A slow bit (flips with probability 0.05), a fast bit (random), a constant one, and random bits up to `dimension`.
std::vector<std::vector<double>> rows_of_bits(std::int64_t episodes, std::int64_t length, std::size_t dimension) {
  Random random(Seed{3}, Stream::test_data, 0);
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i < episodes; ++i) {
    bool slow = random.uniform() < 0.5;
    for (std::int64_t t = 0; t < length; ++t) {
      if (random.uniform() < 0.05) slow = !slow;
      std::vector<double> row{slow ? 1.0 : 0.0, random.uniform() < 0.5 ? 1.0 : 0.0, 1.0};
      while (row.size() < dimension) row.push_back(random.uniform() < 0.5 ? 1.0 : 0.0);
      rows.push_back(row);
    }
  }
  return rows;
}

Problem problem_of(States states, std::int64_t episodes, std::int64_t length) {
  const LoggedProbabilities ones{.values = std::vector<double>(episodes * length, 1.0)};
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i <= episodes; ++i) offsets.push_back(i * length);
  Columns columns;
  columns.offsets = std::move(offsets);
  columns.behavior = ones;
  columns.target = ones;
  columns.rewards = ones.values;
  columns.ends = std::vector<EpisodeEnd>(episodes, EpisodeEnd::terminated);
  columns.states = std::move(states);
  return make_problem(Dataset(std::move(columns)));
}

DenseStates dense_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return {.dimension = static_cast<std::int64_t>(rows.front().size()), .values = std::move(values)};
}

BinaryStates bits_of(const std::vector<std::vector<double>>& rows) {
  std::vector<std::uint64_t> words;
  for (const auto& row : rows) append_bits(words, row);
  return {.dimension = static_cast<std::int64_t>(rows.front().size()), .words = std::move(words)};
}

TEST(SlowFeatures, PutWhatPersistsFirstAndIgnoreWhatDoesNot) {
  const auto rows = rows_of_bits(40, 25, 20);
  const Problem problem = problem_of(dense_of(rows), 40, 25);
  const BagFeatures features = slow_features(problem);
  ASSERT_EQ(features.dimension, 19);  // the constant bit is none
  // The first feature follows the slow bit: within its two values it varies far less than between them.
  double sum[2] = {0, 0}, squares[2] = {0, 0}, count[2] = {0, 0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto which = static_cast<std::size_t>(rows[i][0]);
    const double x = features.values[i * 19];
    sum[which] += x;
    squares[which] += x * x;
    count[which] += 1;
  }
  const double apart = std::abs(sum[0] / count[0] - sum[1] / count[1]);
  for (const std::size_t v : {0u, 1u}) {
    const double mean = sum[v] / count[v];
    EXPECT_LT(std::sqrt(squares[v] / count[v] - mean * mean), 0.2 * apart);
  }
  // lambda of noise is near zero, and its cube nothing: later features hardly vary.
  double later = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) later = std::max(later, std::abs(features.values[i * 19 + 8]));
  EXPECT_LT(later, 0.05 * apart);
}

TEST(SlowFeatures, AreTheSameForBitsAndForNumbers) {
  const auto rows = rows_of_bits(10, 12, 70);
  const BagFeatures dense = slow_features(problem_of(dense_of(rows), 10, 12));
  const BagFeatures bits = slow_features(problem_of(bits_of(rows), 10, 12));
  EXPECT_EQ(dense.values, bits.values);
  EXPECT_EQ(dense.dimension, 32);
  EXPECT_EQ(dense.prefixes, (std::vector<std::int64_t>{8, 16, 32}));
}

TEST(SlowFeatures, OfIdsAreOnePointPerId) {
  std::vector<std::int64_t> ids;
  Random random(Seed{5}, Stream::test_data, 0);
  // Two rooms of three ids each; the door opens rarely.
  for (int i = 0; i < 30; ++i) {
    std::uint64_t room = random.below(2);
    for (int t = 0; t < 20; ++t) {
      if (random.uniform() < 0.03) room = 1 - room;
      ids.push_back(static_cast<std::int64_t>(10 * room + random.below(3)));
    }
  }
  const BagFeatures features = slow_features(problem_of(make_discrete_states(ids), 30, 20));
  ASSERT_EQ(features.values.size(), static_cast<std::size_t>(6 * features.dimension));
  EXPECT_EQ(features.point_of_row.size(), ids.size());
  const auto first = [&](std::size_t point) {
    return features.values[point * static_cast<std::size_t>(features.dimension)];
  };
  const double apart = std::abs(first(0) - first(3));
  EXPECT_LT(std::abs(first(0) - first(1)), 0.3 * apart);
  EXPECT_LT(std::abs(first(4) - first(5)), 0.3 * apart);
}

TEST(SlowFeatures, NeedTwoStepsAndSomethingThatVaries) {
  const auto rows = rows_of_bits(5, 1, 16);
  EXPECT_TRUE(slow_features(problem_of(dense_of(rows), 5, 1)).values.empty());
  EXPECT_TRUE(slow_features(problem_of(make_discrete_states(std::vector<std::int64_t>(8, 3)), 2, 4)).values.empty());
}

TEST(Pixels, AreManyColumnsOfZerosAndOnes) {
  auto rows = rows_of_bits(4, 4, 16);
  EXPECT_TRUE(are_pixels(problem_of(dense_of(rows), 4, 4).data()));
  rows[7][3] = 0.5;
  EXPECT_FALSE(are_pixels(problem_of(dense_of(rows), 4, 4).data()));
  EXPECT_FALSE(are_pixels(problem_of(dense_of(rows_of_bits(4, 4, 8)), 4, 4).data()));
}

}  // namespace
}  // namespace starope
