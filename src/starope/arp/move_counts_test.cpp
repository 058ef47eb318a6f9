#include "starope/arp/move_counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t dense_cells = 20;
constexpr std::int64_t sparse_cells = MoveCounts::most_dense_cells + 50;

// A map of pairs, the obvious way: what both representations must equal.
using Oracle = std::map<std::pair<Label, Label>, double>;

void expect_equal(const MoveCounts& counts, const Oracle& oracle) {
  const SparseRows rows = counts.rows();
  ASSERT_EQ(rows.rows(), counts.cells());
  ASSERT_EQ(rows.value.size(), oracle.size());
  for (const auto& [pair, weight] : oracle) {
    const std::size_t at = rows.find(pair.first, pair.second);
    ASSERT_LT(at, rows.value.size());
    EXPECT_NEAR(rows.value[at], weight, 1e-12 * weight);
  }
}

class Representations : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, Representations, ::testing::Values(dense_cells, sparse_cells));

TEST_P(Representations, AddAndMergeLikeAMapOfPairs) {
  const std::int64_t cells = GetParam();
  Random random(Seed{1}, Stream::test_data, 0);
  Oracle oracle;
  MoveCounts left(cells), right(cells);
  for (int i = 0; i < 200000; ++i) {  // more than fit into one run of pending entries
    const auto from = static_cast<Label>(random.below(static_cast<std::uint64_t>(cells)));
    const auto to = static_cast<Label>(random.below(7));
    const double w = random.uniform(0.1, 1.0);
    (i % 3 == 0 ? left : right).add(from, to, w);
    oracle[{from, to}] += w;
  }
  left += right;
  expect_equal(left, oracle);
}

TEST_P(Representations, RescaleEverythingAddedSoFar) {
  MoveCounts counts(GetParam());
  counts.add(1, 2, 8.0);
  counts.rescale(0.25);
  counts.add(1, 2, 1.0);
  expect_equal(counts, {{{1, 2}, 3.0}});
}

TEST_P(Representations, KeepNoZeros) {
  MoveCounts counts(GetParam());
  counts.add(3, 3, 0.0);
  EXPECT_TRUE(counts.rows().value.empty());
}

TEST(MoveCounts, TheIdentityIsNeutral) {
  for (const std::int64_t cells : {dense_cells, sparse_cells}) {
    MoveCounts counts(cells);
    counts.add(5, 6, 2.0);
    counts += MoveCounts(cells);
    MoveCounts other(cells);
    other += counts;
    expect_equal(counts, {{{5, 6}, 2.0}});
    expect_equal(other, {{{5, 6}, 2.0}});
  }
}

TEST(SparseRows, FindSaysWhereNothingIsStored) {
  MoveCounts counts(4);
  counts.add(0, 1, 1.0);
  counts.add(2, 3, 1.0);
  const SparseRows rows = counts.rows();
  EXPECT_EQ(rows.find(0, 0), rows.value.size());
  EXPECT_EQ(rows.find(1, 1), rows.value.size());
  EXPECT_EQ(rows.columns_of(2)[0], 3u);
  EXPECT_EQ(rows.values_of(3).size(), 0u);
}

}  // namespace
}  // namespace starope
