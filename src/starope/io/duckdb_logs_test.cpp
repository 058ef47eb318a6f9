#include "starope/io/duckdb_logs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DuckDbLogs, WhichFilesItReads) {
  const TemporaryFolder folder;
  for (const char* path : {"a.parquet", "a.pq", "x/*.parquet", "a.jsonl", "a.ndjson.gz", "a.CSV.GZ", "a.tsv.zst",
                           "logs/*.csv", "w.duckdb"}) {
    EXPECT_TRUE(needs_duckdb(path)) << path;
  }
  for (const char* path : {"a.csv", "a.tsv", "a.npz", "-", "/dev/stdin", "a", "a.txt", "."})
    EXPECT_FALSE(needs_duckdb(path)) << path;
  EXPECT_TRUE(needs_duckdb("", {.sql = "select 1"}));
  EXPECT_TRUE(needs_duckdb("a", {.table = "t"}));
  // By content, where the name says nothing.
  EXPECT_TRUE(needs_duckdb(folder.write("unnamed", "PAR1....")));
  EXPECT_TRUE(needs_duckdb(folder.write("packed", "\x1f\x8b....")));
  EXPECT_TRUE(needs_duckdb(folder.write("base", "12345678DUCK....")));
  EXPECT_FALSE(needs_duckdb(folder.write("plain", "episode,reward\n")));
  EXPECT_FALSE(needs_duckdb(folder.path()));
  std::filesystem::create_directories(folder.path("year=2026"));
  folder.write("year=2026/a.parquet", "PAR1");
  EXPECT_TRUE(needs_duckdb(folder.path()));
}

TEST(DuckDbLogs, WhatIsNotThereNeedsNoLibrary) {
  EXPECT_THAT([] { read("there_is_none.parquet"); }, ThrowsMessage<FileError>(HasSubstr("there is no such file")));
  const TemporaryFolder folder;
  const std::string path = folder.write("a.parquet", "PAR1");
  EXPECT_THAT([&] { read(path, {.duckdb_library = "/no/lib.so"}); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("a.parquet"), HasSubstr("/no/lib.so"))));
}

class DuckDbLogsTest : public testing::DuckDbTest {
 protected:
  // Some logs as our own text, and a query that has them as DuckDB reads texts.
  DuckDbLogsTest()
      : data_(testing::random_logs({.episodes = 300, .longest = 20, .truncated = 0.5, .final_states = 0.5}, Seed{4})) {
    write_csv(data_, csv_);
    expected_ = read(csv_);
    source_ = "read_csv(" + sql_text(csv_) + ")";
  }

  void copy(const std::string& query, const std::string& path, const std::string& options) const {
    DuckDb({}).run("COPY (" + query + ") TO " + sql_text(path) + " (" + options + ")", path);
  }

  void expect_logs(const std::string& path, const ReadOptions& options = {}) const {
    const ReadResult result = read(path, options);
    expect_equal(result.data, expected_.data);
    EXPECT_EQ(result.findings, expected_.findings);
    EXPECT_EQ(result.summary.rows, expected_.summary.rows);
    const OpenedLogs opened = open(path, options, {.steps = 100, .memory = 5000});
    expect_equal(read_all(opened.source), expected_.data);
    EXPECT_FALSE(opened.in_memory);
  }

  TemporaryFolder folder_;
  std::string csv_ = folder_.path("logs.csv");
  std::string source_{};
  Dataset data_;
  ReadResult expected_{data_};
};

TEST_F(DuckDbLogsTest, FilesOfEveryKindAreTheSameLogs) {
  const std::string all = "SELECT * FROM " + source_, parquet = folder_.path("logs.parquet");
  copy(all, parquet, "FORMAT parquet");
  expect_logs(parquet);
  copy(all, folder_.path("unnamed"), "FORMAT parquet");
  expect_logs(folder_.path("unnamed"));
  copy(all, folder_.path("logs.jsonl"), "FORMAT json");
  expect_logs(folder_.path("logs.jsonl"));
  for (const char* packed : {"gzip", "zstd"}) {
    const std::string path = folder_.path(packed[0] == 'g' ? "logs.csv.gz" : "logs.csv.zst");
    copy(all, path, std::string("FORMAT csv, HEADER, COMPRESSION ") + packed);
    expect_logs(path);
  }
  EXPECT_EQ(memory_needed(parquet), expected_.summary.rows * 8 * (9 + 2));
  EXPECT_EQ(memory_needed(folder_.path("logs.jsonl")), std::nullopt);
}

TEST_F(DuckDbLogsTest, PatternsFoldersTablesAndQueries) {
  for (int part = 0; part < 3; ++part) {
    const std::string folder = folder_.path("part=" + std::to_string(part));
    std::filesystem::create_directories(folder);
    copy("SELECT * FROM " + source_ + " WHERE episode // 100 = " + std::to_string(part), folder + "/a.parquet",
         "FORMAT parquet");
  }
  expect_logs(folder_.path("*/*.parquet"));
  expect_logs(folder_.path());
  expect_logs("", {.sql = "SELECT * FROM " + source_});
  EXPECT_THAT(read(folder_.path()).summary.ignored, ::testing::ElementsAre("part"));

  const std::string base = folder_.path("base.duckdb");
  {
    const DuckDb db({});
    db.run("ATTACH " + sql_text(base) + " AS b", base);
    db.run("CREATE TABLE b.steps AS SELECT * FROM " + source_, base);
  }
  expect_logs(base);
  expect_logs(base, {.table = "steps"});
  expect_logs(base, {.table = "main.steps"});
  expect_logs(base, {.sql = "SELECT * FROM steps"});
  EXPECT_THAT([&] { read(base, {.table = "walks"}); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("no table 'walks'"), HasSubstr("which has steps"))));
  {
    const DuckDb db({});
    db.run("ATTACH " + sql_text(base) + " AS b", base);
    db.run("CREATE SCHEMA b.\"ward 3\"", base);
    db.run("CREATE VIEW b.\"ward 3\".walks AS SELECT 1 AS x", base);
  }
  EXPECT_THAT([&] { read(base); }, ThrowsMessage<FileError>(HasSubstr("2 tables (steps, ward 3.walks)")));
}

// Rows anywhere in the table are brought in order; what is wrong with a table in order stays wrong.
// Names that DuckDB would take for something else: a pattern, a home.
TEST_F(DuckDbLogsTest, NamesAreTakenAsTheyAre) {
  const std::string folder = folder_.path("part [1]");
  std::filesystem::create_directories(folder);
  for (const char* name : {"/a.parquet", "/b[1].parquet"}) {
    copy("SELECT * FROM " + source_, folder + name, "FORMAT parquet");
    expect_logs(folder + name);
    std::filesystem::rename(folder + name, folder + "/only.parquet");
    expect_logs(folder);
  }
  std::filesystem::rename(folder + "/only.parquet", folder_.path("~a.parquet"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_NO_THROW(expect_logs("~a.parquet"));
  std::filesystem::current_path(before);
}

// What DuckDB makes of it then is of no use, whether that is an error or not.
TEST_F(DuckDbLogsTest, AFileThatChangesWhileItIsReadIsRefusedAsThat) {
  const std::string path = folder_.path("logs.jsonl");
  copy("SELECT * FROM " + source_, path, "FORMAT json");
  OpenOptions opening;
  opening.progress = [&](const ReadProgress&) { std::ofstream(path, std::ios::app) << '\n'; };
  EXPECT_THAT([&] { open(path, {}, opening); },
              ThrowsMessage<FileError>(HasSubstr("changed or cut while it was read")));
}

TEST_F(DuckDbLogsTest, RowsOutOfOrderAreSorted) {
  const std::string path = folder_.path("mixed.parquet");
  copy("SELECT * FROM " + source_ + " ORDER BY hash(episode + 31 * t)", path, "FORMAT parquet");
  expect_logs(path);
  expect_logs(path, {.sort = true});
  copy(
      "SELECT * REPLACE (case when episode = 7 and t = 0 then 'nan'::double else reward end as reward) FROM " + source_,
      path, "FORMAT parquet");
  EXPECT_THAT([&] { read(path); }, ThrowsMessage<DataError>(HasSubstr("column 'reward'")));
  // Rows are those of the file, which was in order, and not those of what was sorted in vain: here the last is the
  // first.
  copy("SELECT 9 - range AS episode, 0 AS t, CASE WHEN range < 2 THEN NULL ELSE 1.0 END AS reward FROM range(9)", path,
       "FORMAT parquet");
  EXPECT_THAT([&] { read(path, {.need_state = false, .need_behavior = false, .need_target = false}); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("mixed.parquet, row 0, column 'reward': is empty"),
                                             HasSubstr("\n  row 1"), ::testing::Not(HasSubstr("sorted")))));
  copy("SELECT * EXCLUDE (t) FROM " + source_ + " ORDER BY hash(episode + 31 * t)", path, "FORMAT parquet");
  EXPECT_THAT([&] { read(path); }, ThrowsMessage<DataError>(HasSubstr("comes back")));
}

// Numbers that are texts, as all of a packed file are: t = 10 comes after t = 9, and episode 10 after episode 9.
TEST_F(DuckDbLogsTest, TextsAreSortedByTheNumbersTheyHold) {
  const std::string mixed = " FROM " + source_ + " ORDER BY hash(episode + 31 * t)";
  copy("SELECT *" + mixed, folder_.path("mixed.csv.gz"), "FORMAT csv, HEADER, COMPRESSION gzip");
  expect_logs(folder_.path("mixed.csv.gz"));
  expect_logs(folder_.path("mixed.csv.gz"), {.sort = true});
  copy("SELECT * REPLACE (t::VARCHAR AS t, episode::VARCHAR AS episode)" + mixed, folder_.path("texts.parquet"),
       "FORMAT parquet");
  expect_logs(folder_.path("texts.parquet"));
  // Names that are no numbers, and a time between two others.
  copy(
      "SELECT 'e' || range % 7 AS episode, (range // 7 * 0.5)::VARCHAR AS t, 1.0 AS reward FROM range(210) ORDER BY "
      "hash(range)",
      folder_.path("named.csv.gz"), "FORMAT csv, HEADER, COMPRESSION gzip");
  const Dataset named =
      read(folder_.path("named.csv.gz"), {.need_state = false, .need_behavior = false, .need_target = false}).data;
  EXPECT_EQ(named.episodes(), 7);
  EXPECT_EQ(named.episode_name(6), "e6");
  EXPECT_EQ(named.longest(), 30);
}

TEST_F(DuckDbLogsTest, ListsAndOtherNames) {
  const std::string path = folder_.path("lists.parquet");
  copy(
      "SELECT episode AS stay, t AS hour, [state_0, state_1] AS seen, action, reward AS r, behavior_prob AS pb, "
      "target_prob AS pe, terminated, truncated, 'x' AS note FROM " +
          source_,
      path, "FORMAT parquet");
  const ReadOptions options{
      .episode = "stay", .t = "hour", .state = {"seen"}, .reward = "r", .behavior_prob = "pb", .target_prob = "pe"};
  expect_logs(path, options);
  EXPECT_THAT(read(path, options).summary.ignored, ::testing::ElementsAre("note"));
}

// DuckDB looks at the first rows of a JSON file, and would force all others into what it saw there: 0.5 became 0.
TEST_F(DuckDbLogsTest, WhatComesLateInJsonIsNotForcedIntoTheTypesOfTheFirstRows) {
  std::string text;
  constexpr int first = 30'000, all = first + 2;
  for (int e = 0; e < all; ++e) {
    const bool late = e >= first;
    text += "{\"episode\": " + (late ? "\"x" + std::to_string(e) + "\"" : std::to_string(e)) +
            ", \"reward\": " + (late ? "0.5" : "1") + (late ? ", \"t\": 3" : ", \"t\": 0") + "}\n";
  }
  const std::string path = folder_.write("late.jsonl", text);
  const ReadOptions options{.need_state = false, .need_behavior = false, .need_target = false};
  const Dataset data = read(path, options).data;
  ASSERT_EQ(data.episodes(), all);
  EXPECT_EQ(data.rewards()[first], 0.5);
  EXPECT_EQ(data.rewards()[0], 1.0);
  EXPECT_EQ(data.episode_name(first), "x30000");
  EXPECT_EQ(data.episode_name(7), "7");
  expect_equal(read_all(open(path, options, {.steps = 1000, .memory = 5000}).source), data);
}

// Nor does the first of several files decide for the others.
TEST_F(DuckDbLogsTest, FilesOfAPatternMayDifferInTypesAndOrderOfColumns) {
  const std::string whole = "SELECT 1 AS episode, 2 AS reward", real = "SELECT 0.25::DOUBLE AS reward, 5 AS episode";
  const ReadOptions options{.need_state = false, .need_behavior = false, .need_target = false};
  for (const auto& [ending, format] : {std::pair{"parquet", "FORMAT parquet"}, std::pair{"jsonl", "FORMAT json"},
                                       std::pair{"csv", "FORMAT csv, HEADER"}}) {
    copy(whole, folder_.path(std::string("p0.") + ending), format);
    copy(real, folder_.path(std::string("p1.") + ending), format);
    const Dataset data = read(folder_.path(std::string("p*.") + ending), options).data;
    EXPECT_THAT(std::vector<double>(data.rewards().begin(), data.rewards().end()), ::testing::ElementsAre(2.0, 0.25));
    EXPECT_EQ(data.episode_name(1), "5") << ending;
    // A column that only some have is not passed over.
    copy(real + ", true AS terminated", folder_.path(std::string("p1.") + ending), format);
    const std::string both = folder_.path(std::string("p*.") + ending);
    EXPECT_THAT([&] { read(both, options); }, ThrowsMessage<DataError>(HasSubstr("column 'terminated': is empty")))
        << ending;
  }
}

// A folder of a thousand files is no place to look for a wrong row.
TEST_F(DuckDbLogsTest, WrongRowsOfSeveralFilesAreNamedByTheirFile) {
  const ReadOptions options{.need_state = false, .need_behavior = false, .need_target = false};
  const std::string right = "SELECT * FROM (VALUES (1, '1'), (1, '2'), (1, '3')) AS rows(episode, reward)";
  const std::string wrong = "SELECT * FROM (VALUES (2, '1'), (2, 'lots'), (2, '3')) AS rows(episode, reward)";
  const std::string also = "SELECT * FROM (VALUES (3, 'more')) AS rows(episode, reward)";
  for (const auto& [ending, format, row] :
       {std::tuple{"parquet", "FORMAT parquet", 1}, std::tuple{"csv", "FORMAT csv, HEADER", 3},
        std::tuple{"jsonl", "FORMAT json", 2}, std::tuple{"csv.gz", "FORMAT csv, HEADER, COMPRESSION gzip", 3}}) {
    const auto file = [&, end = std::string(ending)](const char* part) { return folder_.path(part + ("." + end)); };
    copy(right, file("part=0"), format);
    copy(wrong, file("part=1"), format);
    copy(right, file("part=2"), format);
    copy(also, file("part=3"), format);
    const std::string all = file("part=*");
    for (const bool streamed : {false, true}) {
      try {
        streamed ? void(open(all, options, {.steps = 100, .memory = 5000})) : void(read(all, options));
        ADD_FAILURE() << all;
      } catch (const DataError& error) {
        EXPECT_EQ(error.problem().at.file, file("part=1"));
        EXPECT_EQ(error.problem().at.row, row) << ending;
        ASSERT_EQ(error.others().size(), 1U);
        EXPECT_EQ(error.others()[0].at.file, file("part=3"));
        EXPECT_EQ(error.others()[0].at.row, row - 1) << ending;
      }
    }
  }
}

// A file that a query or a table would hide is not passed over.
TEST_F(DuckDbLogsTest, WhatIsAskedTwiceIsRefused) {
  const std::string path = folder_.path("logs.parquet"), query = "SELECT * FROM " + source_;
  copy(query, path, "FORMAT parquet");
  EXPECT_THAT([&] { read(path, {.sql = query}); }, ThrowsMessage<InvalidArgument>(HasSubstr("is no DuckDB database")));
  EXPECT_THAT([&] { read(csv_, {.sql = query}); }, ThrowsMessage<InvalidArgument>(HasSubstr("leave the file out")));
  EXPECT_THAT([&] { read(csv_, {.table = "t"}); }, ThrowsMessage<InvalidArgument>(HasSubstr("leave --table out")));
  EXPECT_THAT([&] { read("", {.table = "t"}); }, ThrowsMessage<InvalidArgument>(HasSubstr("of which one")));
  EXPECT_THAT([&] { read("", {.table = "t", .sql = query}); }, ThrowsMessage<InvalidArgument>(HasSubstr("--sql and")));
  EXPECT_THAT([&] { read("none.csv", {.sql = query}); }, ThrowsMessage<FileError>(HasSubstr("there is no such file")));
}

// DuckDB lets the name of a folder hide what the file says: all rewards were 1 in a folder called reward=1.
TEST_F(DuckDbLogsTest, WhatFoldersAreCalledDoesNotHideColumnsOfTheirFiles) {
  const std::string table = folder_.path("table"), deep = table + "/reward=1/episode=7";
  std::filesystem::create_directories(deep);
  copy("SELECT * FROM " + source_, deep + "/a.parquet", "FORMAT parquet");
  for (const std::string& path : {table, table + "/*/*/*.parquet", table + "/**/*.parquet"}) expect_logs(path);
  // Where a folder says what no file does as well, DuckDB has no way to tell them apart.
  std::filesystem::create_directories(table + "/site=3");
  std::filesystem::rename(table + "/reward=1", table + "/site=3/reward=1");
  for (const std::string& path : {table, table + "/*/*/*/*.parquet"}) {
    EXPECT_THAT(
        [&] { read(path); },
        ThrowsMessage<FileError>(AllOf(HasSubstr("'reward' is a column of the files and in the names of their folders"),
                                       HasSubstr("--sql"))));
  }
  // And what only folders say is a column.
  std::filesystem::remove_all(table);
  for (const char* action : {"0", "1"}) {
    std::filesystem::create_directories(table + "/action=" + action);
    copy("SELECT * EXCLUDE (action) FROM " + source_ + " WHERE action = " + action,
         table + "/action=" + action + "/a.parquet", "FORMAT parquet");
  }
  const std::string some = "SELECT * FROM " + source_ + " WHERE action IN (0, 1)";
  expect_equal(read(table, {.sort = true}).data, read("", {.sort = true, .sql = some}).data);
}

TEST_F(DuckDbLogsTest, QueriesMayEndAsOneWritesThem) {
  expect_logs("", {.sql = "SELECT * FROM " + source_ + " ;\n"});
  expect_logs("", {.sql = "SELECT * FROM " + source_ + " -- all of them"});
}

}  // namespace
}  // namespace starope::io
