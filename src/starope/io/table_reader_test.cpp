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

// Rows behind others: a text that goes on is one run, and what is owned stays so.
TEST(TextRuns, AreAppended) {
  std::string table = "ab";
  TextRuns runs{.first_row = {0}, .text = {std::string_view(table).substr(0, 1)}};
  runs.own();
  EXPECT_EQ(runs.owned, 1U);
  std::string later = "ac";
  runs.append({.first_row = {0, 2}, .text = {std::string_view(later).substr(0, 1), std::string_view(later).substr(1)}},
              5);
  EXPECT_EQ(runs.first_row, (std::vector<std::int64_t>{0, 7}));
  EXPECT_EQ(runs.owned, 1U);
  runs.own();
  table = later = "xy";
  EXPECT_EQ(runs.text, (std::vector<std::string_view>{"a", "c"}));
  TextRuns own{.first_row = {1}};
  own.unescaped.push_back(std::make_unique<std::string>("d"));
  own.text = {*own.unescaped.back()};
  own.owned = 1;
  runs.append(std::move(own), 9);
  EXPECT_EQ(runs.owned, 3U);
  EXPECT_EQ(runs.first_row.back(), 10);
}

TEST(TableColumn, TruthValuesAreIntegersToo) {
  EXPECT_TRUE((TableColumn{.name = "x", .type = TableColumn::Type::boolean}.holds_integers()));
  EXPECT_FALSE((TableColumn{.name = "x", .type = TableColumn::Type::single}.holds_integers()));
}

}  // namespace
}  // namespace starope::io
