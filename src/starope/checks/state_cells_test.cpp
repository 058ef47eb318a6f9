#include "starope/checks/state_cells.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "starope/checks/testing.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(StateCells, QuantilesFillCellsAlike) {
  const Dataset data = testing::random_logs({.episodes = 2000, .dimension = 2}, Seed{1});
  const StateCells cells = StateCells::fit(data, 16);
  ASSERT_EQ(cells.count(), 16);  // 4 x 4
  std::map<std::int64_t, int> rows;
  for (std::int64_t i = 0; i < data.steps(); ++i) ++rows[cells.cell(data, i)];
  ASSERT_EQ(rows.size(), 16U);
  const auto fair = static_cast<double>(data.steps()) / 16.0;
  for (const auto& [cell, count] : rows) {
    EXPECT_GE(cell, 0);
    EXPECT_LT(cell, 16);
    EXPECT_NEAR(count, fair, 0.2 * fair);  // independent normal features
  }
}

TEST(StateCells, IdsKeepTheirCellsInPartsOfTheLogs) {
  const Dataset data = testing::random_logs({.episodes = 300, .discrete_states = 40}, Seed{2});
  const StateCells cells = StateCells::fit(data, 64);
  EXPECT_EQ(cells.count(), 64);
  const Dataset part = data.take(100, 200);
  std::set<std::int64_t> used;
  for (std::int64_t i = 0; i < part.steps(); ++i) {
    EXPECT_EQ(cells.cell(part, i), cells.cell(data, data.first_step(100) + i));
    used.insert(cells.cell(part, i));
  }
  EXPECT_GT(used.size(), 20U);
}

TEST(StateCells, ManyRowsAtOnceAreTheSame) {
  const Dataset dense = testing::random_logs({.episodes = 50, .dimension = 3}, Seed{4});
  const Dataset ids = testing::random_logs({.episodes = 50, .discrete_states = 9}, Seed{4});
  for (const Dataset* data : {&dense, &ids}) {
    const StateCells cells = StateCells::fit(*data, 64);
    std::vector<std::int64_t> some(40);
    cells.cells(*data, 7, some);
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(some[i], cells.cell(*data, 7 + static_cast<std::int64_t>(i)));
  }
}

TEST(StateCells, ConstantFeaturesAndNoStatesAreOneCell) {
  testing::SmallWorld world = testing::small_world(20, Seed{3});
  for (double& x : world.x) x = 4.0;
  for (double& v : world.v) v = -1.0;
  EXPECT_EQ(StateCells::fit(world.dataset(), 64).count(), 1);
  Columns columns = world.dataset().columns();
  columns.states = std::monostate();
  const Dataset none{std::move(columns)};
  const StateCells cells = StateCells::fit(none, 64);
  EXPECT_EQ(cells.count(), 1);
  EXPECT_EQ(cells.cell(none, 5), 0);
}

TEST(StateCells, ARareValueStillMakesTwoParts) {
  testing::SmallWorld world = testing::small_world(20, Seed{3});
  for (std::size_t i = 0; i < world.x.size(); ++i) {
    world.x[i] = i % 10 == 0 ? 1.0 : 0.0;
    world.v[i] = 0.0;
  }
  const Dataset data = world.dataset();
  const StateCells cells = StateCells::fit(data, 64);
  ASSERT_EQ(cells.count(), 2);
  for (std::int64_t i = 0; i < data.steps(); ++i) EXPECT_EQ(cells.cell(data, i), i % 10 == 0 ? 1 : 0);
}

}  // namespace
}  // namespace starope
