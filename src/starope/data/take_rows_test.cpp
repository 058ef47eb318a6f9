#include "starope/data/take_rows.hpp"

#include <gtest/gtest.h>

#include <array>

namespace starope {
namespace {

// Four steps; the last two rows of states are final ones.
Columns four_steps() {
  Columns c;
  c.states = BinaryStates{.dimension = 65, .words = {10, 0, 11, 1, 12, 0, 13, 1, 20, 0, 21, 1}};
  c.actions = ContinuousActions{.dimension = 2, .values = {1, 2, 3, 4, 5, 6, 7, 8}};
  c.rewards = {1, 2, 3, 4};
  c.behavior = LoggedProbabilities{.values = {-1, -2, -3, -4}, .scale = LoggedProbabilities::Scale::logarithm};
  c.target_distribution = ActionProbabilities{.actions = 2, .values = {0, 1, .1, .9, .2, .8, .3, .7}};
  return c;
}

void expect_last_two(const Columns& c) {
  EXPECT_EQ(std::get<BinaryStates>(c.states).words, (std::vector<std::uint64_t>{12, 0, 13, 1, 21, 1}));
  EXPECT_EQ(std::get<BinaryStates>(c.states).dimension, 65);
  EXPECT_EQ(std::get<ContinuousActions>(c.actions).values, (std::vector<double>{5, 6, 7, 8}));
  EXPECT_EQ(c.rewards, (std::vector<double>{3, 4}));
  EXPECT_EQ(c.behavior->values, (std::vector<double>{-3, -4}));
  EXPECT_EQ(c.behavior->scale, LoggedProbabilities::Scale::logarithm);
  EXPECT_EQ(c.target_distribution->values, (std::vector<double>{.2, .8, .3, .7}));
  EXPECT_FALSE(c.target);
  EXPECT_FALSE(c.behavior_distribution);
}

TEST(TakeRows, ARangeIsItsRowsOneByOne) {
  const Columns all = four_steps();
  const Columns range = take_rows(all, RowRange{.first = 2, .last = 4, .first_final = 5, .last_final = 6});
  expect_last_two(range);
  expect_last_two(take_rows(
      all, ChosenRows{.steps = std::array<std::int64_t, 2>{2, 3}, .states = std::array<std::int64_t, 3>{2, 3, 5}}));
  EXPECT_EQ(range.rewards.data(), all.rewards.data() + 2);
  EXPECT_EQ(std::get<ContinuousActions>(range.actions).values.data(),
            std::get<ContinuousActions>(all.actions).values.data() + 4);
  const Columns without = take_rows(all, RowRange{.first = 2, .last = 4, .first_final = 5, .last_final = 5});
  EXPECT_EQ(std::get<BinaryStates>(without.states).words.data(), std::get<BinaryStates>(all.states).words.data() + 4);
}

TEST(TakeIds, KeepsNamesAndNumbers) {
  const EpisodeIds names = Column<std::string>{"anna", "bert", "cleo"}, numbers = Column<std::int64_t>{7, 8, 9};
  const std::array<std::int64_t, 2> backwards{2, 0};
  EXPECT_EQ(take_ids(names, backwards), EpisodeIds(Column<std::string>{"cleo", "anna"}));
  EXPECT_EQ(take_ids(numbers, backwards), EpisodeIds(Column<std::int64_t>{9, 7}));
  EXPECT_EQ(take_ids(EpisodeIds{}, backwards), EpisodeIds(Column<std::int64_t>{2, 0}));
  EXPECT_EQ(take_ids(names, 1, 3), EpisodeIds(Column<std::string>{"bert", "cleo"}));
  EXPECT_EQ(std::get<Column<std::string>>(take_ids(names, 1, 3)).data(),
            std::get<Column<std::string>>(names).data() + 1);
  EXPECT_EQ(take_ids(EpisodeIds{}, 1, 3), EpisodeIds(Column<std::int64_t>{1, 2}));
}

}  // namespace
}  // namespace starope
