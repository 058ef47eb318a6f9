#include "starope/auto/state_side.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

// Numbers are divided by the members before, so that the sum over the cells of a state is their mean.
TEST(StateSide, IsTheSumOverTheCellsOfAState) {
  const Problem problem = testing::random_problem({.episodes = 6}, Seed{2}, ProblemOptions{.horizon = Horizon{9}});
  const Bag bag = testing::random_bag(problem, {2, 3}, 1, Seed{1});
  const std::vector<std::uint32_t> first_cell{0, static_cast<std::uint32_t>(bag.members[0].cells),
                                              static_cast<std::uint32_t>(bag.members[0].cells + bag.members[1].cells)};
  RowMatrix of_cell = RowMatrix::Zero(first_cell.back(), 8);
  for (Eigen::Index cell = 0; cell < of_cell.rows(); ++cell) of_cell(cell, 0) = static_cast<double>(cell * cell);
  const StateSide side(bag, first_cell, of_cell);
  std::vector<std::int64_t> rows;
  rows_of_episode(problem.episode(2), rows);
  WaveLook look;
  std::vector<RowMatrix> out;
  side.evaluate(rows, look, out);
  ASSERT_EQ(out.size(), 1u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0.0;
    for (std::size_t m = 0; m < 2; ++m)
      sum += of_cell(first_cell[m] + static_cast<std::uint32_t>(bag.members[m].of_row[rows[i]]), 0);
    EXPECT_DOUBLE_EQ(out[0](static_cast<Eigen::Index>(i), 0), sum);
  }
}

TEST(StateSide, LooksAheadInLinesOfSomeThousandSteps) {
  std::vector<double> rewards(3000, 0.0);
  std::vector<LoggedEpisode> episodes(4);
  for (std::size_t i = 0; i < 4; ++i) {
    episodes[i].index = static_cast<std::int64_t>(i);
    episodes[i].rewards = std::span<const double>(rewards).first(i == 2 ? 3000 : 600);
  }
  const std::span<const LoggedEpisode> all(episodes);
  EXPECT_EQ(next_in_line(all).size(), 2U);             // 600 + 600, and 3,000 more would be too many
  EXPECT_EQ(next_in_line(all.subspan(1)).size(), 2U);  // 600 + 3,000
  rewards.resize(5000);
  episodes[2].rewards = rewards;
  EXPECT_EQ(next_in_line(all.subspan(2)).size(), 1U);  // alone, however long it is
  EXPECT_TRUE(next_in_line(all.last(0)).empty());
}

}  // namespace
}  // namespace starope
