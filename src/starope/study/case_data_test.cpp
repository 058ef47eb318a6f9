#include "starope/study/case_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

std::vector<double> rewards_of(const Problem& problem) {
  return {problem.data().rewards().begin(), problem.data().rewards().end()};
}

TEST(StudyData, ATrialIsAFunctionOfItsCell) {
  const StudySpec spec = testing::small_study();
  const StudyData data(spec), again(spec);
  EXPECT_EQ(data.problem({0, 20, 1}).episodes(), 20);
  EXPECT_EQ(rewards_of(data.problem({0, 20, 1})), rewards_of(again.problem({0, 20, 1})));
  EXPECT_NE(rewards_of(data.problem({0, 20, 1})), rewards_of(data.problem({0, 20, 2})));
}

TEST(StudyData, TruthIsExactWhereItCanBe) {
  const StudyData data(testing::small_study());
  const auto exact = data.truth(0, Threads{1});
  ASSERT_TRUE(exact);
  EXPECT_NEAR(exact->value, -0.76, 1e-12);
  EXPECT_EQ(exact->std_error, 0.0);
  EXPECT_EQ(exact->episodes, 0);
}

TEST(StudyData, TruthIsSimulatedElsewhereAndSaysHow) {
  StudySpec spec{.name = "s", .truth_episodes = 2000};
  spec.domains.push_back({.name = "c", .domain = "cartpole", .sizes = {1}, .trials = 1, .estimators = {"naive"}});
  spec = complete_study(spec);
  const auto truth = StudyData(spec).truth(0, Threads{2});
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->episodes, 2000);
  EXPECT_EQ(truth->seed, truth_seed(spec, 0));
  EXPECT_GT(truth->std_error, 0.0);
  EXPECT_NEAR(truth->value, 39.310, 5 * truth->std_error);
}

// What had to be read for its checksum is not read again: here the file is gone.
TEST(StudyData, TakesLogsThatWereReadBefore) {
  const Dataset logs = testing::random_logs({.episodes = 7}, Seed{3});
  StudySpec spec{.name = "own"};
  spec.domains.push_back(
      {.name = "logs", .file = "there/is/none.csv", .sizes = {7}, .trials = 1, .estimators = {"naive"}});
  const StudyData data(spec, {logs});
  EXPECT_EQ(data.logged_episodes(0), 7);
  EXPECT_EQ(rewards_of(data.problem({0, 7, 0})), std::vector<double>(logs.rewards().begin(), logs.rewards().end()));
  EXPECT_THROW(StudyData(spec).logged_episodes(0), FileError);
}

TEST(StudyData, OwnLogsMayHaveOtherNames) {
  const testing::StudyFolder folder;
  StudySpec spec{.name = "own"};
  spec.domains.push_back({.name = "logs", .sizes = {2}, .trials = 1, .estimators = {"naive"}});
  spec.domains[0].file = folder.write("logs.csv", "stay,gain,pb,pe\n1,2,0.5,0.25\n2,4,0.5,0.5\n");
  EXPECT_THAT(
      [&] {
        StudyData(complete_study(spec)).problem({0, 2, 0});
      },
      ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("keys of [[data]]")));
  spec.domains[0].columns = {.episode = "stay", .reward = "gain", .behavior_prob = "pb", .target_prob = "pe"};
  EXPECT_THAT(rewards_of(StudyData(complete_study(spec)).problem({0, 2, 0})), ::testing::ElementsAre(2.0, 4.0));
}

TEST(StudyData, OwnLogsAreDrawnWithoutReplacement) {
  const testing::StudyFolder folder;
  std::string csv = "episode,action,reward,behavior_prob,target_prob\n";
  for (int i = 0; i < 10; ++i) csv += std::to_string(i) + ",0," + std::to_string(i) + ",0.5,0.5\n";
  StudySpec spec{.name = "own"};
  spec.domains.push_back({.name = "logs", .sizes = {4, 10}, .trials = 3, .estimators = {"naive"}});
  spec.domains[0].file = folder.write("logs.csv", csv);
  spec.domains[0].truth = 4.5;
  spec = complete_study(spec);
  const StudyData data(spec);
  std::set<std::vector<double>> seen;
  for (std::int64_t trial = 0; trial < 3; ++trial) {
    const std::vector<double> rewards = rewards_of(data.problem({0, 4, trial}));
    EXPECT_EQ(std::set<double>(rewards.begin(), rewards.end()).size(), 4U);
    seen.insert(rewards);
  }
  EXPECT_GT(seen.size(), 1U);
  EXPECT_EQ(rewards_of(data.problem({0, 10, 0})).size(), 10U);
  EXPECT_EQ(data.truth(0, Threads{1})->value, 4.5);
}

TEST(EpisodesOf, TakesEveryColumnAlong) {
  for (const bool discrete : {false, true}) {
    testing::RandomLogsOptions options;
    options.discrete_states = discrete ? 4 : 0;
    const Problem whole = testing::random_problem(options, Seed{3});
    const Dataset& data = whole.data();
    ASSERT_GT(data.episodes(), 5);
    const std::vector<std::int64_t> chosen{4, 0, 2};
    const Problem part = make_problem(data.take(chosen));
    ASSERT_EQ(part.episodes(), 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      const LoggedEpisode a = part.episode(i), b = whole.episode(chosen[i]);
      EXPECT_TRUE(std::equal(a.rewards.begin(), a.rewards.end(), b.rewards.begin(), b.rewards.end()));
      EXPECT_TRUE(std::equal(a.ratios.begin(), a.ratios.end(), b.ratios.begin(), b.ratios.end()));
      EXPECT_EQ(a.end, b.end);
      EXPECT_EQ(a.final_row.has_value(), b.final_row.has_value());
      for (std::int64_t t = 0; t < a.length(); ++t) {
        const StateView x = state_view(part.data(), a.first_row + t), y = state_view(data, b.first_row + t);
        EXPECT_EQ(x.id, y.id);
        EXPECT_TRUE(std::equal(x.features.begin(), x.features.end(), y.features.begin(), y.features.end()));
      }
    }
  }
}

}  // namespace
}  // namespace starope
