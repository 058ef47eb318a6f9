#include "starope/data/dataset_parts.hpp"

#include <gtest/gtest.h>

#include "starope/base/error.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Dataset three_episodes() {
  Columns c;
  c.offsets = {0, 2, 3, 5};
  c.episode_ids = std::vector<std::string>{"anna", "bert", "cleo"};
  // Behind the states of the five steps: those after the last steps of anna and cleo.
  c.states = DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 20, 50}, .names = {"hr"}};
  c.has_final_state = {true, false, true};
  c.actions = DiscreteActions{.id = {0, 1, 0, 1, 1}, .count = 3};
  c.rewards = {0.1, 0.2, 0.3, 0.4, 0.5};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.25, 1.0, 0.5, 0.75}};
  c.target = LoggedProbabilities{.values = {0.5, 0.0, 1.0, 1.0, 1.0}};
  c.ends = {EpisodeEnd::truncated, EpisodeEnd::terminated, EpisodeEnd::truncated};
  return Dataset(std::move(c));
}

TEST(Take, BringsAllColumnsInTheWantedOrder) {
  const Dataset some = three_episodes().take(std::vector<std::int64_t>{2, 1, 2});
  EXPECT_EQ(some.episodes(), 3);
  EXPECT_EQ(some.episode_name(0), "cleo");
  EXPECT_EQ(some.episode_name(2), "cleo");
  EXPECT_EQ(std::get<DenseStates>(some.states()).values, (std::vector<double>{4, 5, 3, 4, 5, 50, 50}));
  EXPECT_EQ(std::get<DenseStates>(some.states()).names, (std::vector<std::string>{"hr"}));
  EXPECT_EQ(some.final_row(0), 5);
  EXPECT_EQ(some.final_row(1), std::nullopt);
  EXPECT_EQ(some.final_row(2), 6);
  EXPECT_EQ(std::get<DiscreteActions>(some.actions()).id, (std::vector<std::int32_t>{1, 1, 0, 1, 1}));
  EXPECT_EQ(std::get<DiscreteActions>(some.actions()).count, 3);
  EXPECT_EQ(some.rewards()[2], 0.3);
  EXPECT_EQ(some.behavior()->values, (std::vector<double>{0.5, 0.75, 1.0, 0.5, 0.75}));
  EXPECT_EQ(some.end(1), EpisodeEnd::terminated);
}

TEST(Take, RefusesEpisodesThatAreNotThere) {
  EXPECT_THROW(three_episodes().take(std::vector<std::int64_t>{3}), InvalidArgument);
  EXPECT_THROW(three_episodes().take(std::vector<std::int64_t>{-1}), InvalidArgument);
}

TEST(Concat, UndoesATake) {
  for (const std::int64_t discrete : {0, 9}) {
    const Dataset data = testing::random_logs(
        {.episodes = 20, .discrete_states = discrete, .truncated = 0.6, .final_states = 0.5}, Seed{5});
    const std::vector<Dataset> parts{data.take(0, 7), data.take(7, 8), data.take(8, 20)};
    const Dataset whole = concat(parts);
    EXPECT_EQ(whole.states(), data.states());
    EXPECT_EQ(whole.behavior()->values, data.behavior()->values);
    EXPECT_EQ(std::get<DiscreteActions>(whole.actions()).id, std::get<DiscreteActions>(data.actions()).id);
    for (std::int64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(whole.episode_name(i), data.episode_name(i));
      EXPECT_EQ(whole.final_row(i), data.final_row(i));
      EXPECT_EQ(whole.end(i), data.end(i));
    }
  }
}

TEST(Concat, RefusesPartsThatDoNotFit) {
  const std::vector<Dataset> kinds{testing::random_logs({.discrete_states = 3}, Seed{1}),
                                   testing::random_logs({.dimension = 2}, Seed{1})};
  EXPECT_THROW(concat(kinds), InvalidArgument);
  const std::vector<Dataset> widths{testing::random_logs({.dimension = 3}, Seed{1}), kinds[1]};
  EXPECT_THROW(concat(widths), InvalidArgument);
  EXPECT_THROW(concat({}), InvalidArgument);
}

TEST(WithColumn, ExchangesOneAndChecksIt) {
  const Dataset data = three_episodes();
  const Dataset other = data.with_target({.values = {1.0, 0.0, 0.5, 0.5, 0.5}});
  EXPECT_EQ(other.target()->values[2], 0.5);
  EXPECT_EQ(other.behavior()->values, data.behavior()->values);
  EXPECT_EQ(other.final_row(2), data.final_row(2));
  EXPECT_THROW(data.with_behavior({.values = {0.5, 0.25, 0.0, 0.5, 0.75}}), DataError);
  EXPECT_THROW(data.with_behavior({.values = {0.5}}), InvalidArgument);
}

}  // namespace
}  // namespace starope
