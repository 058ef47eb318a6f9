#include "starope/types.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "starope/error.hpp"

namespace starope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Types, RefuseValuesOutsideTheirRange) {
  EXPECT_THROW(Discount{-0.1}, InvalidArgument);
  EXPECT_THROW(Discount{1.0000001}, InvalidArgument);
  EXPECT_THROW(Discount{nan}, InvalidArgument);
  EXPECT_THROW(Horizon{0}, InvalidArgument);
  EXPECT_THROW(Clip::last(0), InvalidArgument);
  EXPECT_THROW(Level{0.0}, InvalidArgument);
  EXPECT_THROW(Level{1.0}, InvalidArgument);
  EXPECT_THROW(Level{nan}, InvalidArgument);
  EXPECT_THROW(Level{0.9999999999999999}, InvalidArgument);  // (1 + level) / 2 is 1 to a double
  EXPECT_THROW(Horizon{Horizon::most + 1}, InvalidArgument);
  EXPECT_THROW(Threads{0}, InvalidArgument);
}

TEST(Types, AcceptTheEndsOfTheirRange) {
  EXPECT_EQ(Discount{0.0}.gamma(), 0.0);
  EXPECT_EQ(Discount{1.0}.gamma(), 1.0);
  EXPECT_EQ(Horizon{1}.steps(), 1);
  EXPECT_EQ(Horizon{Horizon::most}.steps(), Horizon::most);
  EXPECT_EQ(Level{0.999999999999}.probability(), 0.999999999999);
  EXPECT_EQ(Clip::last(1).window(), 1);
  EXPECT_GE(Threads::all().count(), 1);
}

TEST(Clip, NoneIsNotANumber) {
  EXPECT_TRUE(Clip::none().is_none());
  EXPECT_FALSE(Clip::last(3).is_none());
  EXPECT_NE(Clip::none(), Clip::last(1));
  EXPECT_EQ(Clip::none().text(), "none");
  EXPECT_EQ(Clip::last(3).text(), "3");
}

}  // namespace
}  // namespace starope
