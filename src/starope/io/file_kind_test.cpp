#include "starope/io/file_kind.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;

TEST(FileKind, OfNames) {
  EXPECT_EQ(kind_of_name("a.parquet"), FileKind::parquet);
  EXPECT_EQ(kind_of_name("x/*.PQ"), FileKind::parquet);
  EXPECT_EQ(kind_of_name("a.ndjson.gz"), FileKind::json);
  EXPECT_EQ(kind_of_name("a.tsv.zst"), FileKind::text);
  EXPECT_EQ(kind_of_name("a.ddb"), FileKind::database);
  EXPECT_EQ(kind_of_name("a.csv"), FileKind::unknown);
  EXPECT_EQ(kind_of_name("a?.csv"), FileKind::text);
  EXPECT_EQ(kind_of_name(""), FileKind::unknown);
}

TEST(FileKind, ContentTellsMore) {
  const TemporaryFolder folder;
  EXPECT_EQ(kind_of(folder.write("a.csv", "PAR1....")), FileKind::parquet);
  EXPECT_EQ(kind_of(folder.write("a.jsonl", "12345678DUCK....")), FileKind::database);
  EXPECT_EQ(kind_of(folder.write("unnamed", "{\"episode\": 1}\n")), FileKind::json);
  EXPECT_EQ(kind_of(folder.write("b.csv", "{\"episode\": 1}\n")), FileKind::unknown);
  EXPECT_EQ(kind_of(folder.write("a.parquet", "PK\3\4....")), FileKind::unknown);
  EXPECT_EQ(kind_of(folder.path("there-is-none.parquet")), FileKind::parquet);
}

TEST(FileKind, PatternsAndFolders) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_pattern("logs/*.parquet"));
  EXPECT_TRUE(is_pattern("a[1].csv"));
  EXPECT_FALSE(is_pattern(folder.write("a[1].csv", "episode\n")));
  EXPECT_FALSE(is_parquet_folder(folder.path()));
  std::filesystem::create_directories(folder.path("year=2026"));
  folder.write("year=2026/a.parquet", "PAR1");
  EXPECT_TRUE(is_parquet_folder(folder.path()));
  EXPECT_FALSE(is_parquet_folder(folder.path("year=2026/a.parquet")));
}

TEST(FileKind, HowTextIsPacked) {
  const TemporaryFolder folder;
  EXPECT_EQ(compression_option(folder.write("packed", "\x1f\x8b....")), ", compression = 'gzip'");
  EXPECT_EQ(compression_option(folder.write("packed-too", "\x28\xb5\x2f\xfd....")), ", compression = 'zstd'");
  EXPECT_EQ(compression_option(folder.write("a.csv.gz", "\x1f\x8b....")), "");
  EXPECT_EQ(compression_option(folder.write("plain", "episode\n")), "");
}

}  // namespace
}  // namespace starope::io
