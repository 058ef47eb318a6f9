#include "starope/io/spill_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;

void make_old(const std::string& path) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(SpillFolder, IsGoneWithAllThatIsInIt) {
  const TemporaryFolder folder;
  {
    SpillFolder first(folder.path()), second;
    ASSERT_FALSE(first.path().empty());
    testing::TemporaryFolder elsewhere;
    std::filesystem::copy_file(elsewhere.write("a", "text"), first.path() + "/a");
    second = std::move(first);
    EXPECT_TRUE(std::filesystem::exists(second.path() + "/a"));
    EXPECT_EQ(folder.files(), 1U);
  }
  EXPECT_EQ(folder.files(), 0U);
  EXPECT_TRUE(SpillFolder("/there/is/none").path().empty());
}

TEST(SpillFolder, WhatAKilledProcessLeftIsRemovedByTheNext) {
  const TemporaryFolder folder;
  const std::string left = folder.path("starope-duckdb-killed"), young = folder.path("starope-duckdb-young"),
                    other = folder.path("others");
  for (const std::string& each : {left, young, other}) std::filesystem::create_directory(each);
  folder.write("starope-duckdb-killed/spilled", "text");
  make_old(left);
  make_old(other);
  const SpillFolder living(folder.path());
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(young));  // perhaps its process is about to lock it
  EXPECT_TRUE(std::filesystem::exists(other));
  make_old(living.path());
  const SpillFolder next(folder.path());
  EXPECT_TRUE(std::filesystem::exists(living.path()));
}

TEST(SpillFolder, LinksToOtherPlacesAreLeftAlone) {
  const TemporaryFolder folder, elsewhere;
  elsewhere.write("precious", "text");
  std::filesystem::create_directory_symlink(elsewhere.path(), folder.path("starope-duckdb-link"));
  make_old(elsewhere.path());
  const SpillFolder living(folder.path());
  EXPECT_EQ(elsewhere.files(), 1U);
}

}  // namespace
}  // namespace starope::io
