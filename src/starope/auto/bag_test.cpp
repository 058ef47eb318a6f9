#include "starope/auto/bag.hpp"

#include <gtest/gtest.h>

#include <set>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

// Four groups of points far apart, in the first column; the second is noise of the same size everywhere.
struct Groups {
  Problem problem;
  BagFeatures features;

  explicit Groups(std::int64_t episodes = 60) : problem(testing::random_problem({.episodes = episodes}, Seed{1})) {
    Random random(Seed{4}, Stream::test_data, 1);
    features.dimension = 2;
    for (std::int64_t row = 0; row < problem.data().state_rows(); ++row) {
      features.values.push_back(100.0 * static_cast<double>(row % 4) + random.uniform());
      features.values.push_back(random.uniform());
    }
  }
};

TEST(Bag, WithoutLabelsStillLabelsOtherLogs) {
  const Groups logs;
  const Bag bag = make_bag(logs.features, logs.problem, {.ladder = {16, 40}, .seeds = 3});
  Bag bare = bag;
  forget_labels(bare);
  for (const Labels& member : bare.members) EXPECT_TRUE(member.of_row.empty());
  EXPECT_EQ(label(bare, 0, 6, logs.features).members, bag.members);
}

TEST(Bag, HasAMemberForEveryLevelAndSeedFinestFirst) {
  const Groups logs;
  const Bag bag = make_bag(logs.features, logs.problem, {.ladder = {16, 40}, .seeds = 3});
  ASSERT_EQ(bag.members.size(), 6u);
  for (std::size_t m = 0; m < 6; ++m) {
    EXPECT_EQ(bag.members[m].cells, m % 2 == 0 ? 40 : 16);
    EXPECT_EQ(static_cast<std::int64_t>(bag.members[m].of_row.size()), logs.problem.data().state_rows());
  }
  std::set<std::vector<Label>> distinct;
  for (const Labels& member : bag.members) distinct.insert(member.of_row);
  EXPECT_EQ(distinct.size(), 6u);  // no two members are the same abstraction
}

TEST(Bag, NeverPutsFarPointsIntoOneCellWhereThereAreCellsEnough) {
  const Groups logs;
  const Bag bag = make_bag(logs.features, logs.problem, {.ladder = {40}, .seeds = 4});
  for (const Labels& member : bag.members) {
    std::vector<std::set<std::int64_t>> groups(member.cells);
    for (std::size_t row = 0; row < member.of_row.size(); ++row) {
      groups[member.of_row[row]].insert(static_cast<std::int64_t>(row % 4));
    }
    for (const auto& in_cell : groups) EXPECT_LE(in_cell.size(), 1u);
  }
}

TEST(Bag, LooksOnlyAtThePrefixOfItsSeed) {
  Groups logs;
  logs.features.prefixes = {1, 2};
  const Bag bag = make_bag(logs.features, logs.problem, {.ladder = {40}, .seeds = 2});
  // Seed 0 sees the first column alone: whatever is in the second makes no difference to it.
  Groups other = logs;
  for (std::size_t i = 1; i < other.features.values.size(); i += 2) other.features.values[i] = 7.0;
  const Bag same = make_bag(other.features, other.problem, {.ladder = {40}, .seeds = 2});
  EXPECT_EQ(bag.members[0], same.members[0]);
  EXPECT_NE(bag.members[1], same.members[1]);
}

TEST(Bag, OfSharedPointsLabelsRowsByTheirPoint) {
  const Groups logs;
  BagFeatures shared{.dimension = 1, .values = {0.0, 1.0, 10.0}, .point_of_row = {}};
  for (std::int64_t row = 0; row < logs.problem.data().state_rows(); ++row) {
    shared.point_of_row.push_back(static_cast<std::int32_t>(row % 3));
  }
  const Bag bag = make_bag(shared, logs.problem, {.ladder = {8}, .seeds = 1});
  EXPECT_EQ(bag.members[0].cells, 3);  // no more cells than distinct points
  for (std::size_t row = 3; row < bag.members[0].of_row.size(); ++row) {
    EXPECT_EQ(bag.members[0].of_row[row], bag.members[0].of_row[row - 3]);
  }
}

TEST(Bag, OfPointsHasACellForEachOfThem) {
  const BagFeatures features{.dimension = 1, .values = {0.5, 0.25, 0.75}, .point_of_row = {2, 0, 0, 1, 2}};
  const Bag bag = bag_of_points(features);
  ASSERT_EQ(bag.members.size(), 1u);
  EXPECT_EQ(bag.levels(), 1u);
  EXPECT_EQ(bag.members.front().cells, 3);
  EXPECT_EQ(bag.members.front().of_row, (std::vector<Label>{2, 0, 0, 1, 2}));
  // Logs that number their points in another order, and have one that is near another.
  const BagFeatures others{.dimension = 1, .values = {0.75, 0.5, 0.3}, .point_of_row = {0, 1, 2}};
  EXPECT_EQ(label(bag, 0, 1, others).members.front().of_row, (std::vector<Label>{2, 0, 1}));
}

TEST(Bag, DependsOnTheSeedAndNotOnTheThreads) {
  const Groups logs(400);
  const BagOptions options{.ladder = {4, 16}, .seeds = 2, .seed = Seed{3}};
  const Bag one = make_bag(logs.features, logs.problem, options, Threads{1});
  EXPECT_EQ(one.members, make_bag(logs.features, logs.problem, options, Threads{3}).members);
  EXPECT_NE(one.members,
            make_bag(logs.features, logs.problem, {.ladder = {4, 16}, .seeds = 2, .seed = Seed{4}}).members);
}

}  // namespace
}  // namespace starope
