#include "starope/checks/order_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "starope/checks/testing.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::codes;
using testing::find;
using testing::moved;
using testing::number;
using testing::small_world;
using testing::word;

TEST(OrderChecks, SoundLogsHaveNone) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(codes(order_findings(small_world(300, Seed{seed}).dataset())), "") << seed;
}

TEST(OrderChecks, ProbabilitiesOfTheRowBeforeOrBehind) {
  const testing::SmallWorld world = small_world(300, Seed{2});
  const std::vector<double> behavior = world.logged(world.behavior), target = world.logged(world.target);
  const auto late = order_findings(world.dataset(behavior, moved(world, target, 1)));
  const Finding* found = find(late, "probabilities_shifted");
  ASSERT_NE(found, nullptr) << codes(late);
  EXPECT_EQ(word(*found, "column"), "target");
  EXPECT_EQ(word(*found, "row"), "before");
  EXPECT_GT(number(*found, "other"), 0.9);
  EXPECT_LT(number(*found, "own"), 0.7);
  const auto early = order_findings(world.dataset(moved(world, behavior, -1), target));
  found = find(early, "probabilities_shifted");
  ASSERT_NE(found, nullptr) << codes(early);
  EXPECT_EQ(word(*found, "column"), "behavior");
  EXPECT_EQ(word(*found, "row"), "behind");
}

TEST(OrderChecks, StatesInTheWrongRows) {
  for (const std::int64_t by : {1, -1}) {
    testing::SmallWorld world = small_world(300, Seed{2});
    world.x = moved(world, world.x, by);
    world.v = moved(world, world.v, by);
    const auto all = order_findings(world.dataset());
    const Finding* found = find(all, "states_shifted");
    ASSERT_NE(found, nullptr) << codes(all);
    EXPECT_EQ(word(*found, "row"), by == 1 ? "behind" : "before");
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Finding& f) { return f.code == "states_shifted"; }), 1);
  }
}

TEST(OrderChecks, AFifthOfTheProbabilitiesBelongToAnotherAction) {
  const testing::SmallWorld world = small_world(300, Seed{2});
  std::vector<double> target = world.logged(world.target);
  Random random(Seed{9}, Stream::test_data, 1);
  for (double& p : target) p = random.uniform() < 0.2 ? 1.0 - p : p;
  const auto all = order_findings(world.dataset(world.logged(world.behavior), target));
  ASSERT_EQ(codes(all), "warning:inconsistent_probabilities");
  EXPECT_EQ(word(all[0], "column"), "target");
}

// Nearest in all columns is then hardly near in those that policies look at.
TEST(OrderChecks, ColumnsOfNoiseKeepNoSoundRowsApart) {
  const testing::SmallWorld world = small_world(300, Seed{2});
  std::vector<double> target;
  for (std::size_t i = 0; i < world.x.size(); ++i) {
    const double right = world.v[i] > 0.0 ? 0.85 : 0.15;
    target.push_back(testing::SmallWorld::of(right, world.action[i]));
  }
  const auto with_noise = [&](std::vector<double> probabilities) {
    Columns columns = world.dataset(world.logged(world.behavior), std::move(probabilities)).columns();
    Random random(Seed{3}, Stream::test_data, 2);
    std::vector<double> states;
    for (std::size_t i = 0; i < world.x.size(); ++i) {
      states.push_back(world.x[i]);
      states.push_back(world.v[i]);
      for (int k = 0; k < 12; ++k) states.push_back(random.uniform());
    }
    columns.states = DenseStates{.dimension = 14, .values = std::move(states)};
    return order_findings(Dataset(std::move(columns)));
  };
  EXPECT_EQ(codes(with_noise(target)), "");
  Random random(Seed{9}, Stream::test_data, 1);
  for (double& p : target) p = random.uniform() < 0.2 ? 1.0 - p : p;
  EXPECT_EQ(codes(with_noise(target)), "warning:inconsistent_probabilities");
}

TEST(OrderChecks, TheSameIdAndActionHaveOneProbability) {
  const Dataset random = testing::random_logs({.episodes = 500, .discrete_states = 5}, Seed{4});
  Columns columns = random.columns();
  const auto& states = std::get<DiscreteStates>(columns.states);
  const auto& actions = std::get<DiscreteActions>(columns.actions);
  std::vector<double> by_pair;
  for (std::int64_t i = 0; i < random.steps(); ++i)
    by_pair.push_back(0.1 + 0.05 * static_cast<double>(states.code[i]) + 0.2 * actions.id[i]);
  columns.behavior->values = std::vector(by_pair);
  columns.target->values = std::move(by_pair);
  EXPECT_EQ(codes(order_findings(Dataset(columns))), "");
  columns.target->values = random.target()->values;  // drawn anew in every row
  EXPECT_EQ(codes(order_findings(Dataset(columns))), "warning:inconsistent_probabilities");
}

Dataset reordered(const testing::SmallWorld& world) {
  testing::SmallWorld mixed = world;
  for (std::int64_t e = 0; e < world.episodes(); ++e) {
    Random random(Seed{11}, Stream::test_data, static_cast<std::uint64_t>(e));
    const auto order = sample_without_replacement(random, world.length, world.length);
    for (std::int64_t t = 0; t < world.length; ++t) {
      const auto to = e * world.length + t;
      const auto from = static_cast<std::size_t>(e * world.length + order[t]);
      mixed.x[to] = world.x[from];
      mixed.v[to] = world.v[from];
      mixed.action[to] = world.action[from];
      mixed.reward[to] = world.reward[from];
      mixed.behavior[to] = world.behavior[from];
      mixed.target[to] = world.target[from];
    }
  }
  return mixed.dataset();
}

TEST(OrderChecks, ShuffledRows) {
  const auto all = order_findings(reordered(small_world(1500, Seed{2})));
  const Finding* found = find(all, "shuffled_rows");
  ASSERT_NE(found, nullptr) << codes(all);
  EXPECT_NEAR(number(*found, "roughness"), 1.0, 0.05);
}

// Independent draws have no order that could be lost: nothing is wrong with them.
TEST(OrderChecks, IndependentStatesAreNotShuffled) {
  const Dataset data = testing::random_logs({.episodes = 1500, .shortest = 10, .longest = 20}, Seed{3});
  EXPECT_EQ(find(order_findings(data), "shuffled_rows"), nullptr);
}

}  // namespace
}  // namespace starope
