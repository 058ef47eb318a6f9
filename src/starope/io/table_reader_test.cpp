#include "starope/io/table_reader.hpp"

#include <gtest/gtest.h>

namespace starope::io {
namespace {

TEST(TableSource, CountsRowsAsTheFileDoes) {
  const DataLocation at = TableSource{.file = "logs.csv", .first_row = 2}.at(3, "reward");
  EXPECT_EQ(at.file, "logs.csv");
  EXPECT_EQ(at.row, 5);
  EXPECT_EQ(at.column, "reward");
}

TEST(TextRuns, CanOwnTheirTexts) {
  std::string table = "abc";
  TextRuns runs{.first_row = {0}, .text = {std::string_view(table)}};
  runs.own();
  table = "xyz";
  EXPECT_EQ(runs.text[0], "abc");
}

TEST(TableColumn, TruthValuesAreIntegersToo) {
  EXPECT_TRUE((TableColumn{.name = "x", .type = TableColumn::Type::boolean}.holds_integers()));
  EXPECT_FALSE((TableColumn{.name = "x", .type = TableColumn::Type::single}.holds_integers()));
}

}  // namespace
}  // namespace starope::io
