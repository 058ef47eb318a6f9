#include "starope/io/duckdb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(DuckDb, QuotesTextsAndNames) {
  EXPECT_EQ(sql_text("it's"), "'it''s'");
  EXPECT_EQ(sql_name("a \"b\""), "\"a \"\"b\"\"\"");
}

TEST(DuckDb, LooksWhereItIsTold) {
  EXPECT_THAT(duckdb_places("/here/libduckdb.so"), ElementsAre("/here/libduckdb.so"));
}

TEST(DuckDb, SaysInOneLineHowToGetTheLibrary) {
  const auto open = [](const std::string& library) { DuckDb({.library = library}); };
  EXPECT_THAT([&] { open("/there/is/none.so"); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("/there/is/none.so"), Not(HasSubstr("\n")))));
  EXPECT_THAT([&] { open("libm.so.6"); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("has no function duckdb_"), HasSubstr("npm install"))));
}

class DuckDbTest : public testing::DuckDbTest {};

TEST_F(DuckDbTest, QueriesAreStreams) {
  const DuckDb db({.threads = Threads{1}});
  EXPECT_FALSE(db.version().empty());
  ArrowArrayStream stream =
      db.query("select range as i, range / 4 as x, 'n' || (range // 3000) as n from range(10000)", "numbers");
  ArrowTableReader table(&stream, "numbers");
  ASSERT_EQ(table.columns().size(), 3U);
  std::int64_t batches = 0, rows = 0;
  double sum = 0.0;
  while (const auto count = table.next(0)) {
    std::vector<double> x(*count);
    const TableReading reading = table.read({{2, TextCells{}, Blank::never, {}}, {1, NumberCells{x.data(), 1}}});
    EXPECT_EQ(reading.text.text.front(), "n" + std::to_string(rows / 3000));
    for (const double each : x) sum += each;
    rows += *count;
    ++batches;
  }
  EXPECT_EQ(rows, 10000);
  EXPECT_GT(batches, 1);
  EXPECT_EQ(sum, 9999.0 * 10000.0 / 8.0);
  EXPECT_THAT(db.texts("select * from (values ('a'), ('b')) as t", "texts"), ElementsAre("a", "b"));
}

// Numbers alone are taken from DuckDB's vectors as they are; beside a text, by way of the arrays that DuckDB makes.
TEST_F(DuckDbTest, NumbersAreTheSameWithAndWithoutACopy) {
  const DuckDb db({.threads = Threads{1}});
  const std::string numbers =
      "(range % 100)::TINYINT, (range % 900)::USMALLINT, range::INTEGER, -range, range::FLOAT, range / 7, range % 3 = "
      "0, "
      "case when range % 5 = 0 then null else range / 4 end, case when range % 9 = 0 then null else range % 2 = 0 end";
  constexpr std::int64_t columns = 9;
  const auto read = [&](const std::string& more) {
    ArrowArrayStream stream = db.query("select " + numbers + more + " from range(5000)", "numbers");
    ArrowTableReader table(&stream, "numbers");
    std::vector<std::vector<double>> all(columns);
    while (const auto count = table.next(0)) {
      std::vector<std::vector<double>> batch(columns, std::vector<double>(*count));
      std::vector<WantedColumn> wanted;
      for (std::int64_t c = 0; c < columns; ++c) {
        wanted.push_back({c, NumberCells{batch[c].data(), 1}, c < 7 ? Blank::never : Blank::together, {}});
      }
      const TableReading reading = table.read(std::move(wanted));
      for (std::size_t c = 0; c < all.size(); ++c) {
        for (double& each : batch[c]) all[c].push_back(std::isnan(each) ? -1e9 : each);
      }
      EXPECT_FALSE(reading.partial_rows->empty());
    }
    return all;
  };
  const auto plain = read("");
  EXPECT_EQ(plain, read(", 'a text'"));
  EXPECT_EQ(plain[5][7], 1.0);
  EXPECT_EQ(plain[7][5], -1e9);
  EXPECT_EQ(plain[3][4999], -4999.0);
}

TEST_F(DuckDbTest, ErrorsAreThoseOfDuckDb) {
  const DuckDb db({});
  EXPECT_THAT([&] { db.query("select nonsense from nowhere", "the query"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("the query: cannot be read by DuckDB"), HasSubstr("nowhere"))));
  // One that comes when rows are already on their way.
  const std::string late = "select case when range = 9999 then error('spoiled') else 1 end from range(10000)";
  const auto read_all = [&] {
    ArrowArrayStream stream = db.query(late, "q");
    ArrowTableReader table(&stream, "q");
    while (table.next(0)) continue;
  };
  EXPECT_THAT(read_all, ThrowsMessage<DataError>(HasSubstr("spoiled")));
  EXPECT_THAT(
      [&] { db.run(late, "q.parquet"); },
      ThrowsMessage<FileError>(AllOf(HasSubstr("q.parquet: cannot be written by DuckDB"), HasSubstr("spoiled"))));
  EXPECT_THAT([] { DuckDb({.database = "/there/is/no.duckdb"}); }, ThrowsMessage<DataError>(HasSubstr("no.duckdb")));
}

TEST_F(DuckDbTest, SortsWhatMemoryDoesNotHoldAndCleansUp) {
  const testing::TemporaryFolder folder;
  {
    const DuckDb db({.memory = 64'000'000, .folder = folder.path(), .threads = Threads{1}});
    ArrowArrayStream stream = db.query(
        "select range as i, hash(range) as h, hash(range + 1) as g, 'some text ' || range as n from range(3000000) "
        "order by h",
        "numbers");
    ArrowTableReader table(&stream, "numbers");
    std::int64_t rows = 0, falls = 0;
    double before = 0.0;
    while (const auto count = table.next(0)) {
      std::vector<double> h(*count);
      table.read({{1, NumberCells{h.data(), 1}}});
      for (const double each : h) {
        falls += each < before ? 1 : 0;
        before = each;
      }
      rows += *count;
    }
    EXPECT_EQ(rows, 3'000'000);
    EXPECT_EQ(falls, 0);
  }
  EXPECT_EQ(folder.files(), 0U);
}

TEST_F(DuckDbTest, AStreamOutlivesTheDatabaseItIsOf) {
  std::optional<DuckDb> db(DuckDbOptions{});
  ArrowArrayStream stream = db->query("select range from range(5000)", "numbers");
  db.reset();
  ArrowTableReader table(&stream, "numbers");
  std::int64_t rows = 0;
  while (const auto count = table.next(0)) rows += *count;
  EXPECT_EQ(rows, 5000);
}

TEST_F(DuckDbTest, WithoutRoomToSortSaysWhereItIsMissing) {
  const DuckDb db({.memory = 64'000'000, .threads = Threads{1}});
  db.run("SET max_temp_directory_size = '1MB'", "x");
  EXPECT_THAT([&] { db.texts("SELECT hash(range)::VARCHAR AS h, range FROM range(3000000) ORDER BY h", "x"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("Out of Memory"), HasSubstr("TMPDIR"))));
}

}  // namespace
}  // namespace starope::io
