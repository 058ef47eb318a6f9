#include "starope/io/write_source.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

Dataset logs() {
  return starope::testing::random_logs({.episodes = 40, .longest = 5, .truncated = 0.4, .final_states = 0.5}, Seed{4});
}

std::string text_of(const Source& source) {
  std::string text;
  write_csv(source, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(WriteSource, BlocksAreTheTextOfTheWhole) {
  const Dataset data = logs();
  std::string whole;
  write_csv(data, [&](std::string_view piece) { whole += piece; });
  ASSERT_GT(data.episodes(), 1);
  EXPECT_EQ(text_of(dataset_source(data, 1)), whole);
  EXPECT_EQ(text_of(dataset_source(data)), whole);
  EXPECT_THROW(text_of(Source([] { return Source::Next([] { return std::optional<Dataset>(); }); })), InvalidArgument);
}

TEST(WriteSource, FilesComeBack) {
  const testing::TemporaryFolder folder;
  const Dataset data = logs();
  for (const char* name : {"/a.csv", "/a.npz"}) {
    write(dataset_source(data, 1), folder.path() + name);
    starope::testing::expect_equal(read(folder.path() + name).data, data);
  }
  EXPECT_TRUE(writes_blocks("a.csv"));
  EXPECT_TRUE(writes_blocks("a.parquet"));
  EXPECT_FALSE(writes_blocks("a.npz"));
}

}  // namespace
}  // namespace starope::io
