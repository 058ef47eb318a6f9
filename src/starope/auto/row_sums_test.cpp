#include "starope/auto/row_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct Table {
  std::size_t stride, width, levels, seeds;
  std::vector<double> values;
  std::vector<std::uint32_t> rows;

  Table(std::size_t apart, std::size_t numbers, std::size_t level_count, std::size_t seed_count)
      : stride(apart), width(numbers), levels(level_count), seeds(seed_count) {
    Random random(Seed{1}, Stream::test_data, 0);
    for (std::size_t i = 0; i < 50 * stride; ++i) values.push_back(random.normal());
    for (std::size_t m = 0; m < levels * seeds; ++m) rows.push_back(static_cast<std::uint32_t>(random.below(50)));
  }
  RowSums sums() const {
    return {.table = values.data(),
            .stride = stride,
            .width = width,
            .rows = rows.data(),
            .levels = levels,
            .seeds = seeds};
  }
  double at(std::size_t member, std::size_t k) const { return values[rows[member] * stride + k]; }
};

TEST(RowSums, AddTheRowsOfAllMembers) {
  const Table table(24, 16, 3, 4);
  std::vector<double> total(16);
  sum_rows(table.sums(), total.data());
  for (std::size_t k = 0; k < 16; ++k) {
    double expected = 0.0;
    for (std::size_t m = 0; m < 12; ++m) expected += table.at(m, k);
    EXPECT_NEAR(total[k], expected, 1e-12);
  }
}

// Six seeds have a loop of their own; widths of 16 and 24 end in different parts of the loops over columns.
TEST(RowSums, NestByLevelAndSplitBySeed) {
  for (const std::size_t seeds : {1u, 2u, 6u, 7u}) {
    for (const std::size_t width : {8u, 16u, 24u, 40u}) {
      const Table table(width, width, 3, seeds);
      std::vector<double> nested(3 * width), by_seed(seeds * width), total(width);
      sum_rows_nested(table.sums(), nested.data(), by_seed.data());
      sum_rows(table.sums(), total.data());
      for (std::size_t k = 0; k < width; ++k) {
        double so_far = 0.0;
        for (std::size_t l = 0; l < 3; ++l) {
          for (std::size_t s = 0; s < seeds; ++s) so_far += table.at(s * 3 + l, k);
          EXPECT_NEAR(nested[l * width + k], so_far, 1e-12);
        }
        EXPECT_EQ(nested[2 * width + k], total[k]);
        for (std::size_t s = 0; s < seeds; ++s) {
          const double of_seed = table.at(s * 3, k) + table.at(s * 3 + 1, k) + table.at(s * 3 + 2, k);
          EXPECT_NEAR(by_seed[s * width + k], of_seed, 1e-12);
        }
      }
    }
  }
}

TEST(RowSums, MultiplyRowsOfAnyLength) {
  Random random(Seed{2}, Stream::test_data, 0);
  for (const std::size_t count : {1u, 7u, 8u, 9u, 50u}) {
    std::vector<double> a, b;
    double expected = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      a.push_back(random.normal());
      b.push_back(random.normal());
      expected += a[k] * b[k];
    }
    // What stands behind is not looked at.
    a.push_back(1e300);
    b.push_back(1e300);
    EXPECT_NEAR(dot(a.data(), b.data(), count), expected, 1e-12);
  }
}

}  // namespace
}  // namespace starope
