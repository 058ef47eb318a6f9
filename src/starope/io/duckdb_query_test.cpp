#include "starope/io/duckdb_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "starope/io/arrow_reader.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

constexpr std::int64_t enough_for_queries = 200'000'000;

TEST(RowsOf, EveryKindOfFileHasItsQuery) {
  EXPECT_EQ(rows_of("it's.parquet", false), "read_parquet('it''s.parquet', hive_partitioning = false)");
  EXPECT_EQ(rows_of("a/*.parquet", false), "read_parquet('a/*.parquet', union_by_name = true)");
  EXPECT_EQ(rows_of("a/*.parquet", true),
            "read_parquet('a/*.parquet', union_by_name = true, hive_partitioning = false)");
  EXPECT_THAT(rows_of("a.jsonl", false),
              AllOf(StartsWith("read_json('a.jsonl'"), HasSubstr("sample_size = -1"), Not(HasSubstr("union_by_name"))));
  // Texts, by the rules of our own: nothing is guessed.
  EXPECT_THAT(rows_of("a.csv.gz", false),
              AllOf(StartsWith("read_csv('a.csv.gz'"), HasSubstr("all_varchar = true"), HasSubstr("delim = ','")));
  EXPECT_THAT(rows_of("a.TSV.zst", false), HasSubstr("delim = '\\t'"));
  EXPECT_THAT(rows_of("logs/*.csv", false), HasSubstr("union_by_name = true"));
}

TEST(RowsOf, AFolderIsAllThatIsInIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("year=2026"));
  folder.write("year=2026/a.parquet", "PAR1");
  EXPECT_THAT(rows_of(folder.path(), false), AllOf(HasSubstr("/**/*.parquet'"), HasSubstr("hive_partitioning = true")));
  EXPECT_THAT(rows_of(folder.path(), true), HasSubstr("hive_partitioning = false"));
}

TEST(NamesTwoRows, WhereTheOtherRowMayStandElsewhere) {
  DataError::Problem problem;
  for (const char* code : {"not_contiguous", "t_not_increasing", "row_after_termination"}) {
    problem.code = code;
    EXPECT_TRUE(names_two_rows(problem)) << code;
  }
  problem.code = "missing_value";
  EXPECT_FALSE(names_two_rows(problem));
}

class DuckLogsTest : public testing::DuckDbTest {
 protected:
  // Two episodes of texts that hold numbers, the rows in any order, and a column without a role.
  std::string mixed() const {
    std::string path = folder_.path("mixed.parquet");
    DuckDb({}).run(
        "COPY (SELECT * FROM (VALUES ('10', 10, 4.5, 'a'), ('9', 2, 2.5, 'b'), ('10', 9, 3.5, 'c'), ('9', 1, 1.5, 'd'))"
        " AS r(episode, t, reward, note)) TO " +
            sql_text(path) + " (FORMAT parquet)",
        path);
    return path;
  }
  static std::vector<double> numbers(ArrowArrayStream stream, const std::string& column) {
    ArrowTableReader table(&stream, "rows");
    const std::int64_t field = field_of(table, column, "--x");
    std::vector<double> all;
    while (const auto count = table.next(0)) {
      std::vector<double> some(*count);
      table.read({{field, NumberCells{some.data(), 1}}});
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  TemporaryFolder folder_;
  ReadOptions rewards_only_{.need_state = false, .need_action = false, .need_behavior = false, .need_target = false};
};

TEST_F(DuckLogsTest, RowsComeAsTheyAreOrByTheNumbersOfEpisodesAndTimes) {
  const DuckLogs logs(mixed(), rewards_only_, enough_for_queries, {});
  EXPECT_TRUE(logs.can_sort());
  EXPECT_EQ(logs.count(), 4);
  EXPECT_EQ(logs.known_rows(), 4);
  EXPECT_EQ(logs.fields(), 3);
  EXPECT_EQ(logs.numbers_of_a_state(), 0);
  EXPECT_EQ(logs.first_row(), 0);
  EXPECT_THAT(numbers(logs.rows(false), "reward"), ElementsAre(4.5, 2.5, 3.5, 1.5));
  EXPECT_THAT(numbers(logs.rows(true), "reward"), ElementsAre(1.5, 2.5, 3.5, 4.5));
  // What plays no role is not read, but it can be asked for.
  EXPECT_THAT([&] { numbers(logs.rows(false), "note"); }, ThrowsMessage<DataError>(HasSubstr("note")));
  ArrowArrayStream stream = logs.rows_with("note");
  const ArrowTableReader table(&stream, "rows");
  ASSERT_EQ(table.columns().size(), 3U);
  EXPECT_EQ(table.columns()[2].name, "note");
}

TEST_F(DuckLogsTest, ACopyHasTheSameRows) {
  DuckLogs logs(mixed(), rewards_only_, enough_for_queries, folder_.path());
  logs.keep();
  EXPECT_EQ(logs.count(), 4);
  EXPECT_THAT(numbers(logs.rows(true), "reward"), ElementsAre(1.5, 2.5, 3.5, 4.5));
}

TEST_F(DuckLogsTest, OfAQueryNobodyKnowsTheRowsBeforehand) {
  ReadOptions options = rewards_only_;
  options.sql = "SELECT range AS episode, 1.0 AS reward FROM range(7);";
  const DuckLogs logs("", options, enough_for_queries, {});
  EXPECT_EQ(logs.name(), "the query");
  EXPECT_FALSE(logs.can_sort());  // no times
  EXPECT_EQ(logs.known_rows(), std::nullopt);
  EXPECT_EQ(logs.count(), 7);
}

TEST_F(DuckLogsTest, AWrongRowIsOneOfItsFile) {
  for (const char* part : {"p0.csv", "p1.csv"}) folder_.write(part, "episode,reward\n1,2\n1,3\n");
  const DuckLogs logs(folder_.path("p*.csv"), rewards_only_, enough_for_queries, {});
  DataError::Problem problem;
  problem.code = "bad_number";
  problem.at.row = 3;  // of all: the second of the second file, on its third line
  const DataError found = logs.in_its_file(DataError(problem));
  EXPECT_EQ(found.problem().at.file, folder_.path("p1.csv"));
  EXPECT_EQ(found.problem().at.row, 3);
  problem.code = "not_contiguous";
  EXPECT_TRUE(logs.in_its_file(DataError(problem)).problem().at.file.empty());
}

}  // namespace
}  // namespace starope::io
