#include "starope/data/episode.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starope {
namespace {

TEST(LoggedEpisode, LengthIsTheNumberOfSteps) {
  const std::vector<double> rewards{1, 2, 3};
  EXPECT_EQ((LoggedEpisode{.rewards = rewards, .ratios = rewards}.length()), 3);
  EXPECT_EQ(LoggedEpisode{}.length(), 0);
}

}  // namespace
}  // namespace starope
