#include "starope/evaluate/process_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/evaluate.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Two episodes on ids 7 and 9, ratios 1: 7 -> 9 -> end, and 7 -> end. Rewards 1 in 7, 10 in 9.
Problem discrete() {
  Columns c;
  c.offsets = {0, 2, 3};
  c.states = make_discrete_states(std::vector<std::int64_t>{7, 9, 7});
  c.rewards = {1, 10, 1};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.5, 0.5}};
  c.target = c.behavior;
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::terminated};
  return make_problem(Dataset(std::move(c)));
}

TEST(ProcessView, HandComputed) {
  const Problem problem = discrete();
  const ProcessView view = describe_process(fit(Star{.phi = Identity{}}, problem), problem, "star(phi=identity)");
  EXPECT_EQ(view.cells, 2);
  ASSERT_EQ(view.shown.size(), 2U);
  const CellView &first = view.shown[0], &second = view.shown[1];
  EXPECT_DOUBLE_EQ(first.share, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(first.visits, 1.0);
  EXPECT_DOUBLE_EQ(first.exit, 0.5);
  EXPECT_DOUBLE_EQ(first.start, 1.0);
  EXPECT_DOUBLE_EQ(first.value, 1.0 + 0.5 * 10.0);
  EXPECT_THAT(first.ids, ElementsAre(Pair("7", 1.0)));
  EXPECT_DOUBLE_EQ(second.visits, 0.5);
  EXPECT_DOUBLE_EQ(second.reward, 10.0);
  EXPECT_THAT(second.ids, ElementsAre(Pair("9", 1.0)));
  ASSERT_EQ(view.moves.size(), 1U);
  EXPECT_DOUBLE_EQ(view.moves[0].probability, 0.5);
  const auto json = nlohmann::json::parse(to_json(Evaluation{.processes = {view}}));
  EXPECT_EQ(json.at("processes").at(0).at("shown").at(1).at("ids").at(0).at("name"), "9");
}

TEST(ProcessView, ShowsTheMostVisitedOnly) {
  const Problem problem = discrete();
  const ProcessView view = describe_process(fit(Star{.phi = Identity{}}, problem), problem, "s", 1);
  ASSERT_EQ(view.shown.size(), 1U);
  EXPECT_EQ(view.cells, 2);
  EXPECT_TRUE(view.moves.empty());  // the move leads to a cell that is not shown
}

TEST(ProcessView, FeaturesThatTellCellsApartComeFirst) {
  Columns c;
  c.offsets = {0, 1, 2, 3, 4};
  // x is the same everywhere but for noise, y tells the two cells apart.
  c.states = DenseStates{.dimension = 2, .values = {0.0, -5, 0.1, -5, 0.0, 5, 0.1, 5}, .names = {"x", "y"}};
  c.rewards = {1, 1, 1, 1};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.5, 0.5, 0.5}};
  c.target = c.behavior;
  c.ends = std::vector<EpisodeEnd>(4, EpisodeEnd::terminated);
  const Problem problem = make_problem(Dataset(std::move(c)));
  const CentroidTable table{.dimension = 2, .values = {0, -5, 0, 5}, .source = ""};
  const ProcessView view = describe_process(fit(Star{.phi = table}, problem), problem, "s");
  ASSERT_EQ(view.shown.size(), 2U);
  EXPECT_THAT(view.shown[0].features, ElementsAre(Pair("y", -5.0), Pair("x", ::testing::DoubleNear(0.05, 1e-12))));
}

TEST(ProcessView, AProcessIndexedByTimeIsNotShown) {
  const Problem problem = discrete();
  EXPECT_TRUE(
      describe_process(fit(Star{.phi = Identity{}, .time = TimeModel::indexed}, problem), problem, "s").shown.empty());
}

}  // namespace
}  // namespace starope
