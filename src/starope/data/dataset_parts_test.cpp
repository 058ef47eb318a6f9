#include "starope/data.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

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

TEST(Take, ARangeIsTheSameAsItsNumbersOneByOne) {
  for (const std::int64_t discrete : {0, 40}) {
    for (const double final_states : {0.0, 0.7}) {
      const Dataset data = testing::random_logs(
          {.episodes = 20, .discrete_states = discrete, .truncated = 0.6, .final_states = final_states}, Seed{7});
      const Dataset range = data.take(5, 9);
      const Dataset chosen = data.take(std::vector<std::int64_t>{5, 6, 7, 8});
      const Columns &a = range.columns(), &b = chosen.columns();
      EXPECT_EQ(a.offsets, b.offsets);
      EXPECT_EQ(a.episode_ids, b.episode_ids);
      EXPECT_EQ(a.states, b.states);
      EXPECT_EQ(a.rewards, b.rewards);
      EXPECT_EQ(a.ends, b.ends);
      EXPECT_EQ(a.behavior->values, b.behavior->values);
      EXPECT_EQ(a.target->values, b.target->values);
      EXPECT_EQ(std::get<DiscreteActions>(a.actions).id, std::get<DiscreteActions>(b.actions).id);
      EXPECT_EQ(range.longest(), chosen.longest());
      EXPECT_EQ(range.truncated_episodes(), chosen.truncated_episodes());
      for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(range.final_row(i), chosen.final_row(i));
    }
  }
}

TEST(Take, ARangeSharesTheBuffers) {
  const Dataset data = three_episodes();
  const Dataset part = data.take(1, 3).take(1, 2);  // cleo
  EXPECT_EQ(part.rewards().data(), data.rewards().data() + 3);
  EXPECT_EQ(part.behavior()->values.data(), data.behavior()->values.data() + 3);
  EXPECT_EQ(part.target()->values.data(), data.target()->values.data() + 3);
  EXPECT_EQ(std::get<DiscreteActions>(part.actions()).id.data(),
            std::get<DiscreteActions>(data.actions()).id.data() + 3);
  EXPECT_EQ(part.columns().ends.data(), data.columns().ends.data() + 2);
  // Cleo's final state lies behind the steps of all: only where there is one, states are copied.
  const auto states = [](const Dataset& d) { return std::get<DenseStates>(d.states()).values; };
  EXPECT_EQ(states(part), (std::vector<double>{4, 5, 50}));
  EXPECT_EQ(states(data.take(1, 2)).doubles()->data(), states(data).doubles()->data() + 2);
}

TEST(Take, SharesCodesWhereAllIdsOccur) {
  Columns c = three_episodes().columns();
  c.has_final_state = {};
  c.states = make_discrete_states(std::vector<std::int64_t>{70, 50, 50, 70, 50});
  const Dataset data(std::move(c));
  const auto states = [](const Dataset& d) { return std::get<DiscreteStates>(d.states()); };
  EXPECT_EQ(states(data.take(2, 3)).code.data(), states(data).code.data() + 3);
  const DiscreteStates one = states(data.take(1, 2));
  EXPECT_EQ(one.ids, (std::vector<std::int64_t>{50}));
  EXPECT_EQ(one.code, (std::vector<std::int32_t>{0}));
}

// A buffer of somebody else: it is not copied, and lives as long as anything that looks at it.
TEST(Borrowed, BuffersLiveAsLongAsTheLastSlice) {
  auto rewards = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5});
  const double* const address = rewards->data();
  const std::weak_ptr<std::vector<double>> alive = rewards;
  std::optional<Problem> problem;
  {
    Columns c = three_episodes().columns();
    c.rewards = Column<double>::borrow(address, 5, rewards);
    rewards.reset();
    const Dataset data(std::move(c));
    EXPECT_EQ(data.rewards().data(), address);
    const Source::Next next = dataset_source(data, std::vector<EpisodeRange>{{0, 1}, {1, 3}}).open();
    EXPECT_EQ(next()->rewards().data(), address);
    problem = make_problem(*next(), {.discount = Discount{0.9}});
  }
  ASSERT_FALSE(alive.expired());
  EXPECT_EQ(problem->episode(1).rewards.data(), address + 3);
  std::optional<Dataset> slice = problem->data().take(1, 2);
  problem.reset();
  ASSERT_FALSE(alive.expired());
  EXPECT_EQ(slice->rewards()[1], 5.0);
  slice.reset();
  EXPECT_TRUE(alive.expired());
}

TEST(Concat, FloatsStayFloatsWhereAllAre) {
  const Dataset single = testing::random_logs({.single_precision = true, .final_states = 0.5}, Seed{1});
  const Dataset twice = testing::random_logs({.final_states = 0.5}, Seed{1});
  const auto states = [](const Dataset& d) { return std::get<DenseStates>(d.states()).values; };
  const std::vector<Dataset> floats{single.take(0, 10), single.take(10, 30)}, both{single, twice};
  EXPECT_NE(states(concat(floats)).floats(), nullptr);
  EXPECT_EQ(states(concat(floats)), states(single));
  EXPECT_NE(states(concat(both)).doubles(), nullptr);
  EXPECT_EQ(states(concat(both))[0], static_cast<double>(static_cast<float>(states(twice)[0])));
}

TEST(Take, RefusesEpisodesThatAreNotThere) {
  EXPECT_THROW(three_episodes().take(-1, 2), InvalidArgument);
  EXPECT_THROW(three_episodes().take(1, 4), InvalidArgument);
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
