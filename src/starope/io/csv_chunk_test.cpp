#include "starope/io/csv_chunk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/error.hpp"

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A chunk of rows under the header a,b,c,d; the plan must not outlive it.
struct Rows {
  CsvLayout layout{};
  CsvChunk chunk{};

  explicit Rows(std::string_view text, std::int64_t rows = 0) {
    layout.names = {"a", "b", "c", "d"};
    layout.has_header = true;
    layout.fields = 4;
    layout.quoted = text.find('"') != std::string_view::npos;
    chunk.bytes = text;
    chunk.rows = rows > 0 ? rows : std::count(text.begin(), text.end(), '\n');
  }

  CsvReading parse(std::vector<WantedColumn> columns) const {
    return parse_csv_chunk(make_csv_plan("x.csv", layout, ',', std::move(columns), "Fill it in"), chunk);
  }

  std::string error_of(std::vector<WantedColumn> columns) const {
    try {
      parse(std::move(columns)).offences.raise();
    } catch (const DataError& error) {
      return error.code() + ": " + error.what();
    }
    return "no error";
  }
};

WantedColumn column(std::int64_t field, decltype(WantedColumn::cells) cells, Blank blank = Blank::never) {
  return WantedColumn{field, cells, blank, {}};
}

TEST(CsvPlan, JoinsNeighborsAndSkipsTheRest) {
  CsvLayout layout;
  layout.fields = 8;
  double x[16] = {};
  const auto numbers = [&](int at) { return NumberCells{x + at, 3}; };
  const CsvPlan plan = make_csv_plan("", layout, ',',
                                     {column(4, numbers(2)), column(2, numbers(0)), column(3, numbers(1)),
                                      column(4, TextCells{}), column(6, numbers(9))},
                                     "");
  ASSERT_EQ(plan.steps.size(), 6U);
  using Action = CsvStep::Action;
  EXPECT_EQ(plan.steps[0].action, Action::skip);
  EXPECT_EQ(plan.steps[0].count, 2);
  EXPECT_EQ(plan.steps[1].action, Action::numbers);
  EXPECT_EQ(plan.steps[1].count, 3);
  EXPECT_EQ(plan.steps[1].column, 0U);
  EXPECT_EQ(plan.steps[2].action, Action::text);
  EXPECT_TRUE(plan.steps[2].again);
  EXPECT_EQ(plan.steps[3].action, Action::skip);
  EXPECT_EQ(plan.steps[4].numbers, x + 9);
  EXPECT_EQ(plan.steps[4].terminator, ',');
  EXPECT_EQ(plan.steps[5].terminator, '\n');
}

TEST(CsvChunk, ReadsEveryKindOfCellToItsPlace) {
  const Rows rows("x,1.5,-7,1\nx, 2.5 ,+8,true\r\n\"y\",\"3.5\",9.0,\"0\"\n");
  double b[6] = {};
  std::int64_t c[3] = {};
  std::uint8_t d[3] = {};
  const CsvReading reading =
      rows.parse({column(0, TextCells{}), column(1, NumberCells{b, 2}), column(1, NumberCells{b + 1, 2}),
                  column(2, IntegerCells{c}), column(3, FlagCells{d})});
  EXPECT_THAT(b, ElementsAre(1.5, 1.5, 2.5, 2.5, 3.5, 3.5));  // the column was wanted twice
  EXPECT_THAT(c, ElementsAre(-7, 8, 9));
  EXPECT_THAT(d, ElementsAre(1, 1, 0));
  EXPECT_THAT(reading.text.text, ElementsAre("x", "y"));
  EXPECT_THAT(reading.text.first_row, ElementsAre(0, 2));
  EXPECT_TRUE(reading.partial_rows.empty());
}

TEST(CsvChunk, TextsAreComparedByWhatTheyMean) {
  const Rows rows("a,1,,\n\"a\",1,,\n\"a\"\"b\",1,,\n\"a\"\"b\",1,,\nab,1,,\nabc,1,,\nab,1,,\n");
  const CsvReading reading = rows.parse({column(0, TextCells{})});
  EXPECT_THAT(reading.text.text, ElementsAre("a", "a\"b", "ab", "abc", "ab"));
  EXPECT_THAT(reading.text.first_row, ElementsAre(0, 2, 4, 5, 6));
}

TEST(CsvChunk, SkippedFieldsMayHoldAnything) {
  const Rows rows("\"1,\n2\",zzz,\"\",5\n", 1);
  double d[1] = {};
  rows.parse({column(3, NumberCells{d})});
  EXPECT_EQ(d[0], 5.0);
}

TEST(CsvChunk, ARowWithAllCellsOfAGroupEmptyIsPartial) {
  const Rows rows("1,2,3,0\n4,,,\n5,,\"\", \n6,7,8,1\n");
  double a[4] = {}, b[4] = {};
  std::int64_t c[4] = {};
  std::uint8_t d[4] = {9, 9, 9, 9};
  const CsvReading reading =
      rows.parse({column(0, NumberCells{a}), column(1, NumberCells{b}, Blank::together),
                  column(2, IntegerCells{c}, Blank::together), column(3, FlagCells{d}, Blank::excused)});
  EXPECT_THAT(reading.partial_rows, ElementsAre(1, 2));
  EXPECT_THAT(a, ElementsAre(1, 4, 5, 6));
  EXPECT_TRUE(std::isnan(b[1]));
  EXPECT_EQ(b[3], 7.0);
  EXPECT_THAT(c, ElementsAre(3, 0, 0, 8));
  EXPECT_THAT(d, ElementsAre(0, 0, 0, 1));
}

TEST(CsvChunk, AnEmptyCellElsewhereIsAMissingValue) {
  double a[2] = {}, b[2] = {}, c[2] = {};
  const std::vector<WantedColumn> columns = {column(0, NumberCells{a}), column(1, NumberCells{b}, Blank::together),
                                             column(2, NumberCells{c}, Blank::together)};
  EXPECT_THAT(Rows("1,2,3,\n4,5,,\n").error_of(columns),
              AllOf(HasSubstr("missing_value: x.csv, row 3, column 'c'"), HasSubstr("Fill it in")));
  EXPECT_THAT(Rows("1,,3,\n").error_of(columns), HasSubstr("row 2, column 'b'"));
  EXPECT_THAT(Rows(",,,\n").error_of(columns), HasSubstr("column 'a'"));
}

TEST(CsvChunk, SaysWhichCellIsWrong) {
  double b[3] = {};
  const std::vector<WantedColumn> columns = {column(1, NumberCells{b})};
  EXPECT_THAT(Rows("x,1,y,z\nx,oops,y,z\n").error_of(columns),
              AllOf(HasSubstr("bad_number: x.csv, row 3, column 'b'"), HasSubstr("'oops' is not a number")));
  EXPECT_THAT(Rows("x,1.2.3,y,z\n").error_of(columns), HasSubstr("'1.2.3'"));
  EXPECT_THAT(Rows("x,\"1\"\"2\",y,z\n").error_of(columns), HasSubstr("'1\"2'"));
}

TEST(CsvChunk, SaysWhichRowIsRagged) {
  double b[3] = {}, d[3] = {};
  const std::vector<WantedColumn> columns = {column(1, NumberCells{b}), column(3, NumberCells{d})};
  const auto error = [&](std::string_view text) { return Rows(text).error_of(columns); };
  EXPECT_THAT(error("1,2,3,4\n1,2\n"), HasSubstr("ragged_row: x.csv, row 3: has 2 fields, but the header has 4"));
  EXPECT_THAT(error("1,2,3\n"), HasSubstr("has 3 fields"));
  EXPECT_THAT(error("1,2,3,4,5,6\n"), HasSubstr("has 6 fields"));
  EXPECT_THAT(error("1\n"), HasSubstr("has 1 field,"));
  EXPECT_THAT(error("1,2,3,4\n\r\n1,2,3,4\n"), HasSubstr("row 3: is blank"));
  EXPECT_THAT(error("1,2,3,4,\n"), HasSubstr("has 5 fields"));
  EXPECT_THAT(Rows("1,2,\"3\n\",4,\"5\"\n", 1).error_of(columns), HasSubstr("has 5 fields"));  // one row, two lines
}

TEST(CsvChunk, SaysWhereAQuoteIsOutOfPlace) {
  double b[3] = {};
  const std::vector<WantedColumn> columns = {column(1, NumberCells{b})};
  EXPECT_THAT(Rows("1,2,a\"b,4\n").error_of(columns), HasSubstr("stray_quote: x.csv, row 2, column 'c'"));
  EXPECT_THAT(Rows("1,\"2\"x,3,4\n").error_of(columns), HasSubstr("behind the closing quote"));
  EXPECT_THAT(Rows("1,\"2,3,4\n").error_of(columns), HasSubstr("unterminated_quote: x.csv, row 2, column 'b'"));
}

}  // namespace
}  // namespace starope::io
