#include "starope/darp/row_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct Table {
  std::size_t stride, width, levels, seeds;
  std::vector<double> values, factors;
  std::vector<std::uint32_t> rows;

  Table(std::size_t stride_, std::size_t width_, std::size_t levels_, std::size_t seeds_)
      : stride(stride_), width(width_), levels(levels_), seeds(seeds_) {
    Random random(Seed{1}, Stream::test_data, 0);
    for (std::size_t i = 0; i < 50 * stride; ++i) values.push_back(random.normal());
    for (std::size_t m = 0; m < levels * seeds; ++m) {
      rows.push_back(static_cast<std::uint32_t>(random.below(50)));
      factors.push_back(random.normal());
    }
  }
  RowSums sums(bool scaled) const {
    return {.table = values.data(),
            .stride = stride,
            .width = width,
            .rows = rows.data(),
            .factors = scaled ? factors.data() : nullptr,
            .levels = levels,
            .seeds = seeds};
  }
  double at(std::size_t member, std::size_t k, bool scaled) const {
    return values[rows[member] * stride + k] * (scaled ? factors[member] : 1.0);
  }
};

TEST(RowSums, AddTheRowsOfAllMembers) {
  const Table table(24, 16, 3, 4);
  for (const bool scaled : {false, true}) {
    std::vector<double> total(16);
    sum_rows(table.sums(scaled), total.data());
    for (std::size_t k = 0; k < 16; ++k) {
      double expected = 0.0;
      for (std::size_t m = 0; m < 12; ++m) expected += table.at(m, k, scaled);
      EXPECT_NEAR(total[k], expected, 1e-12);
    }
  }
}

TEST(RowSums, NestByLevelAndSplitBySeed) {
  const Table table(16, 16, 3, 2);
  std::vector<double> nested(3 * 16), by_seed(2 * 16), total(16);
  sum_rows_nested(table.sums(true), nested.data(), by_seed.data());
  sum_rows(table.sums(true), total.data());
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_NEAR(nested[k], table.at(0, k, true) + table.at(3, k, true), 1e-12);
    EXPECT_NEAR(nested[16 + k],
                table.at(0, k, true) + table.at(1, k, true) + table.at(3, k, true) + table.at(4, k, true), 1e-12);
    EXPECT_EQ(nested[32 + k], total[k]);
    EXPECT_NEAR(by_seed[k], table.at(0, k, true) + table.at(1, k, true) + table.at(2, k, true), 1e-12);
  }
}

TEST(RowSums, BracketsWithAndWithoutASuccessor) {
  Random random(Seed{2}, Stream::test_data, 0);
  for (const std::size_t count : {1u, 7u, 8u, 9u, 50u}) {
    const std::size_t padded = padded_to_lanes(count);
    std::vector<double> omega(padded, 0.0), next(padded + 8, 0.0), here(padded + 8, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      omega[k] = random.normal();
      here[k] = random.normal();
      next[k] = random.normal();
    }
    double with = 0.0, without = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      with += omega[k] * (0.9 * next[k + 1] - (here[k] - 0.3));
      without += omega[k] * (0.3 - here[k]);
    }
    EXPECT_NEAR(bracket_sum(omega.data(), next.data(), here.data(), 0.3, 0.9, count), with, 1e-12);
    EXPECT_NEAR(bracket_sum(omega.data(), nullptr, here.data(), 0.3, 0.9, count), without, 1e-12);
  }
}

}  // namespace
}  // namespace starope
