#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Dataset> logs() {
  std::vector<Dataset> all;
  all.push_back(testing::random_logs({.episodes = 60, .truncated = 0.5, .final_states = 0.5}, Seed{1}));
  all.push_back(testing::random_logs({.episodes = 40, .discrete_states = 7}, Seed{2}));
  Columns columns = all[1].columns();
  std::vector<std::string> names;
  for (int e = 0; e < 40; ++e) names.push_back("00" + std::to_string(e) + (e == 7 ? ", \"quoted\"" : ""));
  columns.episode_ids = Column<std::string>(std::move(names));
  all.emplace_back(std::move(columns));
  return all;
}

void expect_round_trips(const std::vector<std::string>& names) {
  const TemporaryFolder folder;
  for (const std::string& name : names) {
    for (const Dataset& data : logs()) {
      const std::string path = folder.path(name);
      write(data, path);
      if (name == "logs.npz" && data.episode_name(0) != "0") continue;  // archives have no names
      expect_equal(read(path).data, data);
      EXPECT_EQ(folder.files(), 1U) << name;
      std::filesystem::remove(path);
    }
  }
}

TEST(Write, WhatIsReadBackIsTheSame) {
  expect_round_trips({"logs.csv", "logs.npz"});
}

TEST(Write, OtherNamesAreRefused) {
  const Dataset data = logs()[0];
  for (const char* name : {"logs.xlsx", "logs", ".csv"})
    EXPECT_THAT([&] { write(data, name); }, ThrowsMessage<FileError>(HasSubstr(name)));
}

class WriteDuckDbTest : public testing::DuckDbTest {};

TEST_F(WriteDuckDbTest, WhatIsReadBackIsTheSame) {
  expect_round_trips({"logs.parquet", "logs.jsonl", "logs.csv.gz", "logs.csv.zst"});
}

TEST_F(WriteDuckDbTest, NothingIsLeftOfWhatFails) {
  const TemporaryFolder folder;
  EXPECT_THROW(write(logs()[0], folder.path("no/such/folder/logs.parquet")), Error);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace starope::io
