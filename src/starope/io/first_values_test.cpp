#include "starope/io/first_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

std::string shown(const std::vector<FirstValue>& all) {
  std::string text;
  for (const FirstValue& each : all) text += each.episode + ":" + each.value + " ";
  return text;
}

TEST(FirstValues, OfTextsAndNumbersInTheFirstRows) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("logs.csv",
                                        "episode,ward,age,reward\n"
                                        "a,icu,64,1\na,er,65,1\n"
                                        "b,\"er, old\",70,0\n"
                                        "c,,3,0\n"
                                        "d,er,1e2,0\n");
  EXPECT_EQ(shown(first_values(path, "ward", {})), "a:icu b:er, old c: d:er ");
  EXPECT_EQ(shown(first_values(path, "age", {})), "a:64 b:70 c:3 d:1e2 ");
}

TEST(FirstValues, SayWhichColumnIsMissing) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("logs.csv", "episode,ward,reward\na,icu,1\n");
  try {
    first_values(path, "wards", {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Did you mean 'ward'?"));
  }
}

}  // namespace
}  // namespace starope::io
