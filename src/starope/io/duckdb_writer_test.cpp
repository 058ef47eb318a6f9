#include "starope/io/duckdb_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::random_logs;
using ::starope::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DuckDbWriter, WhichFilesItWrites) {
  for (const char* path : {"a.parquet", "a.jsonl", "a.csv.gz", "b/a.CSV.ZST"}) EXPECT_TRUE(duckdb_writes(path)) << path;
  for (const char* path : {"a.csv", "a.npz", "a.duckdb", "*.parquet", "a"}) EXPECT_FALSE(duckdb_writes(path)) << path;
}

// TMPDIR and the folder of the file, while the logs are on their way.
class DuckDbWriterTest : public testing::DuckDbTest {
 public:
  DuckDbWriterTest() {
    if (const char* before = std::getenv("TMPDIR"); before != nullptr) before_ = before;
    ::setenv("TMPDIR", temporary_.path().c_str(), 1);
  }
  ~DuckDbWriterTest() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

 protected:
  TemporaryFolder temporary_, folder_;
  std::optional<std::string> before_{};
  Dataset data_ = random_logs({.episodes = 300, .truncated = 0.5, .final_states = 0.5}, Seed{1});
};

// Whoever kills the process at any time finds no file in either place: those in use have no names.
TEST_F(DuckDbWriterTest, NothingHasANameBeforeItIsWhole) {
  for (const char* name : {"logs.parquet", "logs.jsonl", "logs.csv.gz", "logs.tsv.gz", "logs.TSV.zst"}) {
    std::size_t seen = 0;
    const Source watched([&]() -> Source::Next {
      return [&, next = dataset_source(data_, 100).open()]() -> std::optional<Dataset> {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(temporary_.path()))
          EXPECT_TRUE(entry.is_directory()) << entry.path();
        EXPECT_EQ(folder_.files(), 0U);
        ++seen;
        return next();
      };
    });
    write_duckdb(watched, folder_.path(name), {});
    EXPECT_GT(seen, 2U);
    EXPECT_EQ(folder_.files(), 1U);
    EXPECT_EQ(temporary_.files(), 0U);
    expect_equal(read(folder_.path(name)).data, data_);
    std::filesystem::remove(folder_.path(name));
  }
}

TEST_F(DuckDbWriterTest, WhatWasThereStaysIfItFails) {
  const std::string path = folder_.write("logs.parquet", "before");
  const Source failing([]() -> Source::Next { throw FileError("gone"); });
  EXPECT_THAT([&] { write_duckdb(failing, path, {}); }, ThrowsMessage<FileError>(HasSubstr("gone")));
  EXPECT_EQ(testing::content_of(path), "before");
  EXPECT_EQ(folder_.files(), 1U);
  EXPECT_THAT([&] { write_duckdb(dataset_source(data_), folder_.path("none/logs.parquet"), {}); },
              ThrowsMessage<FileError>(HasSubstr("its folder does not exist")));
  EXPECT_THAT([&] { write_duckdb(dataset_source(data_), "/dev/full", {}); },
              ThrowsMessage<FileError>(HasSubstr("the disk is full")));
}

}  // namespace
}  // namespace starope::io
