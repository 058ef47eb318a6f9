#include "starope/clustering/bit_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(BitPoints, RowsAndTheirBits) {
  std::vector<std::uint64_t> words;
  std::vector<double> row(70, 0.0);
  row[0] = row[63] = row[64] = row[69] = 1.0;
  append_bits(words, row);
  row[63] = 0.0;
  row[5] = 1.0;
  append_bits(words, row);

  const BinaryStates states{.dimension = 70, .words = std::move(words)};
  const BitPoints points = bit_points(states);
  ASSERT_EQ(points.count(), 2);
  std::vector<std::size_t> bits;
  for_each_set_bit(points.row(0), [&](std::size_t j) { bits.push_back(j); });
  EXPECT_THAT(bits, ElementsAre(0u, 63u, 64u, 69u));
  EXPECT_EQ(set_bits(points.row(1)), 4);
  EXPECT_EQ(differing_bits(points.row(0), points.row(1)), 2);
  EXPECT_EQ(points.rows(1, 2).row(0).data(), points.row(1).data());
}

TEST(BitPoints, DistancesAreThoseOfTheDenseRows) {
  const BinaryStates states = testing::random_bits_states(50, 130, 0.2, 1);
  const Column<double> dense = to_dense(states).values.widened();
  const BitPoints points = bit_points(states);
  for (std::int64_t i = 0; i < 49; ++i) {
    const std::span<const double> a(dense.data() + i * 130, 130), b(a.data() + 130, 130);
    EXPECT_EQ(static_cast<double>(differing_bits(points.row(i), points.row(i + 1))), testing::squared_distance(a, b));
  }
}

TEST(BitPoints, GatherTakesRowsInTheGivenOrder) {
  const BinaryStates states{.dimension = 3, .words = {1, 2, 4, 7}};
  const std::vector<std::int64_t> rows{3, 0, 3};
  EXPECT_THAT(gather_rows(bit_points(states), rows), ElementsAre(7u, 1u, 7u));
  const std::vector<std::int64_t> wrong{4};
  EXPECT_THROW(gather_rows(bit_points(states), wrong), InvalidArgument);
}

TEST(BitPoints, SizesMustFit) {
  const std::vector<std::uint64_t> words(3);
  EXPECT_NO_THROW(check_points(BitPoints{.dimension = 64, .words = words}));
  EXPECT_THROW(check_points(BitPoints{.dimension = 65, .words = words}), InvalidArgument);
  EXPECT_THROW(check_points(BitPoints{.dimension = 0, .words = words}), InvalidArgument);
  EXPECT_THROW(check_points(BitPoints{.dimension = 5, .words = {}}), InvalidArgument);
}

}  // namespace
}  // namespace starope
