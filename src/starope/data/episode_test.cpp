#include "starope/problem.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starope {
namespace {

TEST(LoggedEpisode, LengthIsTheNumberOfSteps) {
  const std::vector<double> rewards{1, 2, 3};
  EXPECT_EQ((LoggedEpisode{.rewards = rewards, .ratios = rewards}.length()), 3);
  EXPECT_EQ(LoggedEpisode{}.length(), 0);
}

TEST(Outcome, OfTheLastStepDependsOnHowTheEpisodeEnds) {
  const std::vector<double> rewards{1.0, 2.0};
  LoggedEpisode episode{.first_row = 10, .rewards = rewards, .ratios = rewards, .end = EpisodeEnd::terminated};
  EXPECT_EQ(outcome_of(episode, 0).next_row, 11);
  EXPECT_TRUE(outcome_of(episode, 1).seen());
  EXPECT_EQ(outcome_of(episode, 1).next_row, std::nullopt);
  episode.end = EpisodeEnd::truncated;
  EXPECT_FALSE(outcome_of(episode, 1).seen());
  episode.final_row = 99;
  EXPECT_TRUE(outcome_of(episode, 1).seen());
  EXPECT_EQ(outcome_of(episode, 1).next_row, 99);
}

TEST(Outcome, BehindTheHorizonIsNothing) {
  const std::vector<double> rewards{1.0, 2.0, 3.0};
  const LoggedEpisode episode{.first_row = 0, .rewards = rewards, .ratios = rewards, .end = EpisodeEnd::truncated};
  EXPECT_FALSE(outcome_within(episode, 2, 5).seen());
  EXPECT_TRUE(outcome_within(episode, 2, 3).seen());
  EXPECT_EQ(outcome_within(episode, 2, 3).next_row, std::nullopt);
  EXPECT_EQ(outcome_within(episode, 1, 3).next_row, 2);
}

}  // namespace
}  // namespace starope
