#include "starope/layout/table.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

Table two_estimators() {
  Table table({{.title = "estimator", .breakable = true}, {.title = "value", .align = Align::decimal}});
  table.add_row({"naive", "21.13"});
  table.add_row({"star(clusters=32,clip=2)", "9.5"});
  return table;
}

TEST(Table, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  EXPECT_EQ(two_estimators().render(80),
            "estimator                 value\n"
            "-------------------------------\n"
            "naive                     21.13\n"
            "star(clusters=32,clip=2)   9.5\n");
}

TEST(Table, BreaksTheBreakableColumnOnlyWhereNeeded) {
  EXPECT_EQ(two_estimators().render(31), two_estimators().render(80));
  EXPECT_EQ(two_estimators().render(30),
            "estimator          value\n"
            "------------------------\n"
            "naive              21.13\n"
            "star(clusters=32,   9.5\n"
            "  clip=2)\n");
}

TEST(Table, TitlesOfTwoLinesStandOnTheLastLine) {
  Table table({{.title = "a"}, {.title = "effective\nepisodes", .align = Align::right}});
  table.add_row({"x", "17"});
  EXPECT_EQ(table.render(80, 2),
            "     effective\n"
            "  a   episodes\n"
            "  ------------\n"
            "  x         17\n");
}

TEST(Table, EmphasisTakesNoRoom) {
  Table table({{.title = "a"}, {.title = "b"}});
  table.add_row({"\x1b[33mx\x1b[0m", "y"});
  EXPECT_EQ(table.render(80, 0, "\x1b[1m", "\x1b[0m"), "\x1b[1ma  b\x1b[0m\n----\n\x1b[33mx\x1b[0m  y\n");
}

}  // namespace
}  // namespace starope
