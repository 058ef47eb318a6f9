#include "starope/io/first_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::testing::ElementsAre;

const ReadOptions no_policy{.need_state = false, .need_behavior = false, .need_target = false};

// As an evaluation asks: for the episodes that were read.
std::vector<std::string> values(const std::string& path, const std::string& column,
                                const ReadOptions& options = no_policy) {
  EpisodePlaces places;
  places.add(read(path, options).data);
  return first_values(path, column, options, places);
}

TEST(EpisodePlaces, FindNamesInAnyOrder) {
  const starope::testing::TemporaryFolder folder;
  EpisodePlaces places;
  for (const char* text : {"episode,reward\nb,1\na,1\n", "episode,reward\n007,1\n7,1\n"})
    places.add(read(folder.write("logs.csv", text), no_policy).data);
  EXPECT_EQ(places.size(), 4);
  std::int64_t before = -1;
  for (const char* name : {"b", "a", "007", "7"}) {
    EXPECT_EQ(places.find(name, before), before + 1) << name;
    EXPECT_EQ(places.find(name, before + 1), before + 1) << name;
    EXPECT_EQ(places.find(name, 2), ++before) << name;
  }
  EXPECT_EQ(places.find("c", 0), std::nullopt);
}

TEST(FirstValues, OfTextsAndNumbersInTheFirstRows) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("logs.csv",
                                        "episode,ward,age,reward\n"
                                        "a,icu,64,1\na,er,65,1\n"
                                        "b,\"er, old\",70,0\n"
                                        "c,,3,0\n"
                                        "d,er,1e2,0\n");
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 20}) {
    ReadOptions options = no_policy;
    options.chunk_bytes = bytes;
    EXPECT_THAT(values(path, "ward", options), ElementsAre("icu", "er, old", "", "er"));
    EXPECT_THAT(values(path, "age", options), ElementsAre("64", "70", "3", "1e2"));
  }
}

// The first row is the first in time, and not the first in the file.
TEST(FirstValues, OfRowsThatHadToBeSorted) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("logs.csv",
                                        "episode,t,ward,reward\n"
                                        "b,2,late,1\na,1,later,1\nb,1,early,1\na,0,first,0\nb,,end,0\n");
  ReadOptions options = no_policy;
  options.sort = true;
  EXPECT_THROW(values(path, "ward", options), DataError);  // a time is missing
  folder.write("logs.csv",
               "episode,t,ward,reward\n"
               "b,2,late,1\na,1,later,1\nb,1,early,1\na,0,first,0\nb,3,end,0\n");
  EXPECT_THAT(values(path, "ward", options), ElementsAre("early", "first"));
}

TEST(FirstValues, SayWhichColumnIsMissing) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("logs.csv", "episode,ward,reward\na,icu,1\n");
  try {
    values(path, "wards");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Did you mean 'ward'?"));
  }
}

class FirstValuesOfDuckDb : public starope::testing::DuckDbTest {};

TEST_F(FirstValuesOfDuckDb, AreThoseOfTheText) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.path("logs.parquet");
  const std::string rows =
      "(VALUES (7, 1, 'icu', 64.5, [1.5, 2]), (7, 2, 'er', 65, [3, 4]), (8, 1, NULL, 70, [5, 6]), "
      "(10, 1, 'icu', NULL, [7, 8]), (9, 1, 'er', 3, [9, 10])) AS x(stay, hour, ward, age, seen)";
  const auto write = [&](const std::string& order) {
    DuckDb({}).run(
        "COPY (SELECT *, 1.0 AS reward FROM " + rows + order + ") TO " + sql_text(path) + " (FORMAT parquet)", path);
  };
  ReadOptions options = no_policy;
  options.episode = "stay";
  options.t = "hour";
  write("");
  EXPECT_THAT(values(path, "ward", options), ElementsAre("icu", "", "icu", "er"));
  EXPECT_THAT(values(path, "age", options), ElementsAre("64.5", "70", "", "3"));
  EXPECT_THAT(values(path, "seen_1", options), ElementsAre("2", "6", "8", "10"));
  EXPECT_THAT(values(path, "hour", options), ElementsAre("1", "1", "1", "1"));
  EXPECT_THROW(values(path, "wrad", options), DataError);
  // Rows that stand anywhere are read as sorted logs, episodes by their names.
  write(" ORDER BY hour DESC, stay % 3");
  EXPECT_THAT(values(path, "ward", options), ElementsAre("icu", "", "er", "icu"));
  EXPECT_THAT(values(path, "age", options), ElementsAre("64.5", "70", "3", ""));
}

}  // namespace
}  // namespace starope::io
