// As Highway defines them where it compiles for one instruction set; every source that uses it has the case of several.
#define HWY_TARGETS 4
#define HWY_STATIC_DISPATCH(name) N_ONLY::name

#include "starope/base/dispatch.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace detail::N_ONLY {  // as Highway calls it NOLINT(readability-identifier-naming)
int twice(int x) {
  return 2 * x;
}
}  // namespace detail::N_ONLY

namespace {

TEST(Dispatch, FindsTheOnlyInstructionSet) {
  EXPECT_EQ(STAROPE_DISPATCH(twice)(21), 42);
}

}  // namespace
}  // namespace starope
