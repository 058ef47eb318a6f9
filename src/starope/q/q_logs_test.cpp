#include "starope/q/q_logs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Problem& problem) {
  try {
    QLogs(problem, "fqe");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(QLogs, NamesTheEstimatorAndTheColumnsThatAreMissing) {
  const std::string message = error_of(testing::random_problem({.discrete_states = 3}, Seed{1}));
  EXPECT_THAT(message, HasSubstr("fqe needs"));
  EXPECT_THAT(message, HasSubstr("target_probs_0"));
  Columns c;
  c.offsets = {0, 1};
  c.rewards = {1.0};
  c.ends = {EpisodeEnd::terminated};
  c.behavior = c.target = LoggedProbabilities{.values = {0.5}};
  EXPECT_THAT(error_of(make_problem(Dataset(std::move(c)))), HasSubstr("fqe needs the states"));
}

// Three episodes: terminated after 2 steps, cut after 3, cut after `second` steps.
Problem three_episodes(std::int64_t second, bool final_state, const ProblemOptions& options = {}) {
  Columns c;
  c.offsets = {0, 2, 5, 5 + second};
  const auto steps = static_cast<std::size_t>(c.offsets.back());
  c.rewards = std::vector<double>(steps, 1.0);
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated, EpisodeEnd::truncated};
  std::vector<std::int64_t> ids(steps, 0);
  ids[1] = 7;
  if (final_state) {
    c.has_final_state = {false, true, false};
    ids.push_back(7);
  }
  c.states = make_discrete_states(ids);
  c.actions = DiscreteActions{.id = std::vector<std::int32_t>(steps, 0), .count = 2};
  c.behavior = c.target = LoggedProbabilities{.values = std::vector<double>(steps, 0.5)};
  ActionProbabilities all{.actions = 2, .values = std::vector<double>(2 * steps, 0.5)};
  c.target_distribution = all;
  return make_problem(Dataset(std::move(c)), options);
}

std::vector<Outcome::Kind> last_outcomes(const QLogs& logs) {
  std::vector<Outcome::Kind> last(logs.problem().episodes());
  for (const LoggedStep& step : logs.steps(logs.all_episodes())) last[step.episode] = step.outcome;
  return last;
}

using enum Outcome::Kind;

TEST(QLogs, ACommonLengthOfCutEpisodesIsTheHorizon) {
  const QLogs logs(three_episodes(3, false), "fqe");
  EXPECT_EQ(logs.horizon(), Horizon{3});
  EXPECT_THAT(last_outcomes(logs), ::testing::ElementsAre(ended, unknown, unknown));
  EXPECT_TRUE(logs.findings().empty());
}

TEST(QLogs, WithoutACommonLengthACutIsAnEndAndAFindingSaysSo) {
  const QLogs logs(three_episodes(1, false), "fqe");
  EXPECT_EQ(logs.horizon(), std::nullopt);
  EXPECT_THAT(last_outcomes(logs), ::testing::ElementsAre(ended, ended, ended));
  ASSERT_EQ(logs.findings().size(), 1u);
  EXPECT_EQ(logs.findings()[0].code, "truncation_as_end");
}

TEST(QLogs, WithAHorizonAnEarlierCutHidesItsOutcome) {
  const QLogs logs(three_episodes(1, false, {.horizon = Horizon{3}}), "fqe");
  EXPECT_THAT(last_outcomes(logs), ::testing::ElementsAre(ended, unknown, unknown));
}

TEST(QLogs, ACutByTheHorizonKnowsItsNextStateAndAFinalStateHasThePolicyOfItsId) {
  const QLogs shorter(three_episodes(3, false, {.horizon = Horizon{2}}), "fqe");
  EXPECT_THAT(last_outcomes(shorter), ::testing::ElementsAre(ended, next, next));
  const QLogs logs(three_episodes(1, true, {.horizon = Horizon{3}}), "fqe");
  EXPECT_THAT(last_outcomes(logs), ::testing::ElementsAre(ended, next, unknown));
  const auto steps = logs.steps(logs.all_episodes());
  EXPECT_EQ(steps[4].next_row, 6);
  EXPECT_EQ(logs.target(6).data(), logs.target(1).data());  // id 7 was seen in row 1
}

}  // namespace
}  // namespace starope
