#include "starope/layout/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(Layout, WidthCountsCodePointsAndNoColors) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Zürich"), 6U);
  EXPECT_EQ(display_width("\x1b[1mbold\x1b[0m"), 4U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Layout, PadsByDisplayedWidth) {
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_right("é", 3), "é  ");
  EXPECT_EQ(pad_left("too long", 3), "too long");
}

TEST(Layout, WrapsAtBlanksAndFillsLinesExactly) {
  EXPECT_THAT(wrap("aa bb cc", 5), ElementsAre("aa bb", "cc"));
  EXPECT_THAT(wrap("aa bb cc", 4), ElementsAre("aa", "bb", "cc"));
  EXPECT_THAT(wrap("aa bb cc", 8), ElementsAre("aa bb cc"));
}

TEST(Layout, NeverCutsAWord) {
  EXPECT_THAT(wrap("see /a/very/long/path now", 8), ElementsAre("see", "/a/very/long/path", "now"));
}

TEST(Layout, KeepsLineBreaksOfTheText) {
  EXPECT_THAT(wrap("one\n\ntwo", 10), ElementsAre("one", "", "two"));
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
}

TEST(Layout, IndentCountsTowardsTheWidth) {
  EXPECT_EQ(wrap_indented("aa bb cc", 7, "- ", "  "), "- aa bb\n  cc\n");
}

TEST(Layout, EstimatorsBreakBehindCommas) {
  EXPECT_THAT(wrap_at_commas("star(clusters=32,clip=2,seed=3)", 17),
              ElementsAre("star(clusters=32,", "  clip=2,seed=3)"));
  EXPECT_THAT(wrap_at_commas("naive", 3), ElementsAre("naive"));
}

TEST(Layout, DecimalPointsStandBelowEachOther) {
  std::vector<std::string> numbers = {"1.25", "-12.5", "100", "none", "1.3e-09"};
  align_decimals(numbers);
  EXPECT_THAT(numbers, ElementsAre("  1.25   ", "-12.5    ", "100      ", "     none", "  1.3e-09"));
}

}  // namespace
}  // namespace starope
