#include "shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Shards, ByTheEndOfTheName) {
  EXPECT_TRUE(is_statistics("part.star"));
  EXPECT_TRUE(is_statistics("a/b.c.star"));
  EXPECT_FALSE(is_statistics("part.csv"));
  EXPECT_FALSE(is_statistics(".star"));
  EXPECT_NO_THROW(check_statistics_name("x.star", "--emit", "starope evaluate"));
  EXPECT_THROW(check_statistics_name("x.csv", "--emit", "starope evaluate"), UsageError);
}

TEST(Shards, OtherFilesAreRefusedByName) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("x.star", "episode,reward\n1,2\n");
  EXPECT_THAT([&] { read_statistics(path); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("x.star"), HasSubstr("statistic"))));
  EXPECT_THROW(read_statistics(folder.path("missing.star")), FileError);
}

TEST(Shards, PoliciesAreCalledByTheirContent) {
  const starope::testing::TemporaryFolder folder;
  const std::string a = name_of_policy(folder.write("a.csv", "l,r\n0.5,0.5\n"));
  EXPECT_EQ(a, name_of_policy(folder.write("b.csv", "l,r\n0.5,0.5\n")));
  EXPECT_NE(a, name_of_policy(folder.write("a.csv", "l,r\n0.4,0.6\n")));
  EXPECT_EQ(name_of_policy(""), "");
}

}  // namespace
}  // namespace starope::cli
