#include "starope/auto/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(Ladder, FollowsTheSizeOfTheData) {
  EXPECT_THAT(default_ladder(1100), ElementsAre(4, 8, 17, 34, 68));
  EXPECT_THAT(default_ladder(220000), ElementsAre(16, 32, 64, 128, 256));
  EXPECT_THAT(default_ladder(400), ElementsAre(2, 4, 8, 16, 32));
}

TEST(Ladder, LeavesOutLevelsThatFewStepsCannotFill) {
  EXPECT_THAT(default_ladder(35), ElementsAre(2, 4, 8));
  EXPECT_THAT(default_ladder(7), ElementsAre(1));
  EXPECT_THAT(default_ladder(1), ElementsAre(1));
  EXPECT_THAT(usable_levels({10, 20}, 60), ElementsAre(10));
  EXPECT_THAT(usable_levels({10, 20}, 30), ElementsAre(7));
}

TEST(Ladder, MustAscend) {
  EXPECT_THROW(usable_levels({}, 100), InvalidArgument);
  EXPECT_THROW(usable_levels({4, 4}, 100), InvalidArgument);
  EXPECT_THROW(usable_levels({0, 4}, 100), InvalidArgument);
}

}  // namespace
}  // namespace starope
