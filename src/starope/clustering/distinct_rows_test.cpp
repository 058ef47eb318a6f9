#include "starope/clustering/distinct_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(DistinctRows, NumbersByFirstAppearanceAndRanksLexicographically) {
  DistinctRows rows(2);
  const std::vector<std::vector<double>> added{{2, 0}, {1, 5}, {2, 0}, {1, -5}, {1, 5}};
  std::vector<std::int64_t> numbers;
  std::vector<bool> news;
  for (const auto& row : added) {
    const auto [number, is_new] = rows.add(row);
    numbers.push_back(number);
    news.push_back(is_new);
  }
  EXPECT_THAT(numbers, ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(news, ElementsAre(true, true, false, true, false));
  EXPECT_EQ(rows.size(), 3);
  EXPECT_THAT(rows.row(2), ElementsAre(1.0, -5.0));
  EXPECT_THAT(rows.ranks(), ElementsAre(2, 1, 0));
}

TEST(DistinctRows, NegativeZeroIsZeroAndTheNextDoubleIsAnother) {
  DistinctRows rows(1);
  EXPECT_EQ(rows.add(std::vector<double>{0.0}).number, 0);
  EXPECT_EQ(rows.add(std::vector<double>{-0.0}).number, 0);
  EXPECT_EQ(rows.add(std::vector<double>{5e-324}).number, 1);
  EXPECT_EQ(rows.add(std::vector<double>{1.0}).number, 2);
  EXPECT_EQ(rows.add(std::vector<double>{1.0 + 0x1p-52}).number, 3);
}

TEST(DistinctRows, AgreesWithASortedMapOverManyRows) {
  Random random(Seed{3}, Stream::test_data, 0);
  DistinctRows rows(3);
  std::map<std::vector<double>, std::int64_t> known;
  for (int i = 0; i < 20000; ++i) {
    std::vector<double> row(3);
    for (double& x : row) x = static_cast<double>(random.below(20)) - 10.0;
    const auto [place, is_new] = known.emplace(row, static_cast<std::int64_t>(known.size()));
    const auto added = rows.add(row);
    ASSERT_EQ(added.number, place->second);
    ASSERT_EQ(added.is_new, is_new);
  }
  const auto ranks = rows.ranks();
  std::int64_t rank = 0;
  for (const auto& [row, number] : known) EXPECT_EQ(ranks[number], rank++);
}

TEST(DistinctRows, BitsHaveTheNumbersAndRanksOfTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(3000, 70, 0.02, 4);
  const Column<double> dense = to_dense(states).values.widened();
  DistinctBitRows bits(2);
  DistinctRows rows(70);
  for (std::int64_t i = 0; i < 3000; ++i) {
    const auto expected = rows.add(std::span(dense).subspan(static_cast<std::size_t>(i) * 70, 70));
    const auto added = bits.add(states.row(i));
    ASSERT_EQ(added.number, expected.number);
    ASSERT_EQ(added.is_new, expected.is_new);
  }
  ASSERT_GT(rows.size(), 100);
  ASSERT_LT(rows.size(), 2500);
  EXPECT_EQ(bits.ranks(), rows.ranks());
}

}  // namespace
}  // namespace starope
