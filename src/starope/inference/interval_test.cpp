#include "starope/interval.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(IntervalMethods, HaveTheNamesOfTheJson) {
  EXPECT_EQ(name(IntervalMethod::influence), "influence");
  EXPECT_EQ(name(IntervalMethod::bootstrap_bca), "bootstrap-bca");
  EXPECT_EQ(name(IntervalMethod::empirical_bernstein), "empirical-bernstein");
}

}  // namespace
}  // namespace starope
