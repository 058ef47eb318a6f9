#include "starope/base/assert.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Assert, NamesTheBrokenConditionAndStops) {
  EXPECT_DEATH(detail::assertion_failed("z < k", "solve.cpp", 12), "solve.cpp:12.*z < k");
}

TEST(Assert, PassesSilentlyWhenTheConditionHolds) {
  int evaluated = 0;
  STAROPE_ASSERT(++evaluated >= 0);
  EXPECT_LE(evaluated, 1);
}

}  // namespace
}  // namespace starope
