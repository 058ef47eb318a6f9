#include "starope/layout/style.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Paint, AddsNothingWithoutColor) {
  EXPECT_EQ(paint({}, Emphasis::error, "x"), "x");
  EXPECT_EQ(paint({.color = true}, Emphasis::strong, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(paint({.color = true}, Emphasis::error, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace starope
