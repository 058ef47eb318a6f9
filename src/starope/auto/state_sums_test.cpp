#include "starope/auto/state_sums.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::random_bag;
using testing::random_problem;

// With horizons at, before and behind a multiple of the padding.
class StateSumsTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  Problem logs_ = random_problem({.episodes = 60, .longest = 11, .truncated = 0.3, .final_states = 0.5}, Seed{3},
                                 ProblemOptions{.discount = Discount{0.9}, .horizon = Horizon{GetParam()}});

  // A bag whose members see nothing but which of `points` a row is; told so or not.
  Bag bag_of_points(std::int64_t points, bool told) const {
    Bag bag = random_bag(logs_, {2, 5, 9}, 6, Seed{4});
    for (Labels& member : bag.members) {
      for (std::size_t row = 0; row < member.of_row.size(); ++row) {
        member.of_row[row] = member.of_row[row % static_cast<std::size_t>(points)];
      }
    }
    if (!told) return bag;
    bag.points = points;
    for (std::int64_t row = 0; row < logs_.data().state_rows(); ++row) {
      bag.point_of_row.push_back(static_cast<std::int32_t>(row % points));
    }
    return bag;
  }
};

TEST_P(StateSumsTest, AddTheRowsOfTheMembers) {
  for (const bool told : {false, true}) {
    const Bag bag = bag_of_points(7, told);
    const PooledTables tables = pooled_tables(bag, logs_, all_episodes(logs_));
    const StepTables steps = step_tables(bag, tables, {}, CellValues::yes, fine_steps);
    const StateSums sums(bag, steps, Coalitions::nested_and_seeds, Threads{1});
    StateSums::Look look(sums);
    const std::int64_t row = 11;
    const auto cell = [&](std::size_t m) {
      return static_cast<Eigen::Index>(tables.first_cell[m]) + bag.members[m].of_row[row];
    };
    const double* const values = look.values(row, 0);
    const double* const mass = look.mass(row);
    // The coalition of the second seed: members 3, 4, 5. Three nested ones stand before the seeds.
    const std::size_t q = 3 + 1;
    const auto expect_sums = [&](const RowMatrix& table, const double* found) {
      for (Eigen::Index k = 0; k < table.cols(); ++k)
        EXPECT_DOUBLE_EQ(found[k], table(cell(3), k) + table(cell(4), k) + table(cell(5), k)) << k;
    };
    expect_sums(steps.cell_values, values + q * sums.value_stride());
    expect_sums(steps.cell_mass, mass + q * sums.mass_stride());
  }
}

TEST_P(StateSumsTest, KeepTwoStatesApart) {
  const Bag bag = bag_of_points(7, false);
  const PooledTables tables = pooled_tables(bag, logs_, all_episodes(logs_));
  const StepTables steps = step_tables(bag, tables, {}, CellValues::yes, fine_steps);
  const StateSums sums(bag, steps, Coalitions::whole_bag, Threads{1});
  StateSums::Look look(sums);
  const double* const first = look.values(0, 0);
  const double before = first[0];
  for (std::int64_t row = 1; row < 7; ++row) static_cast<void>(look.values(row, 1));
  EXPECT_EQ(first[0], before);
}

TEST_P(StateSumsTest, OfSharedPointsGiveScoresTheSameBits) {
  const Bag plain = bag_of_points(7, false), shared = bag_of_points(7, true);
  const auto all = all_episodes(logs_);
  const PooledTables tables = pooled_tables(plain, logs_, all);
  for (const Coalitions coalitions : {Coalitions::whole_bag, Coalitions::nested_and_seeds}) {
    const CoalitionScores a = pooled_scores(plain, tables, logs_, all, coalitions);
    const CoalitionScores b = pooled_scores(shared, tables, logs_, all, coalitions, Threads{3});
    EXPECT_EQ(a.nested, b.nested);
    EXPECT_EQ(a.by_seed, b.by_seed);
  }
  for (const std::int64_t window : {1, 2, 3}) {
    EXPECT_EQ(windowed_scores(plain, tables, logs_, window, fine_steps),
              windowed_scores(shared, tables, logs_, window, fine_steps));
  }
}

INSTANTIATE_TEST_SUITE_P(Horizons, StateSumsTest, ::testing::Values(3, 7, 8, 9));

}  // namespace
}  // namespace starope
