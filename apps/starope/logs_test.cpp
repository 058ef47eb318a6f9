#include "logs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LogsTest : public ::testing::Test {
 protected:
  LogsTest() {
    std::ofstream file(path_);
    file << "episode,state,reward,behavior_prob,target_prob\n";
    for (int e = 0; e < 3000; ++e) file << e << ",0.5,1,0.5,0.25\n" << e << ",1.5,1,0.5,0.25\n";
  }

  LogsRequest request(std::int64_t memory) const { return {.data = path_, .columns = {}, .memory = memory}; }
  Logs loaded(const LogsRequest& request) {
    Progress progress(streams_);
    return load(request, too_large(request), progress);
  }

  const starope::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path("logs.csv");
  std::ostringstream out_{}, err_{};
  Streams streams_{out_, err_, {}, {}};
};

TEST_F(LogsTest, FitOrComeInBlocks) {
  EXPECT_EQ(too_large(request(1'000'000)), std::nullopt);
  const Logs memory = loaded(request(1'000'000));
  EXPECT_EQ(memory.blocks(), nullptr);
  EXPECT_EQ(memory.first().steps(), 6000);

  const auto needed = too_large(request(1000));
  EXPECT_GE(needed.value(), 6000 * 8 * 5);
  const Logs blocks = loaded(request(1000));
  ASSERT_NE(blocks.blocks(), nullptr);
  EXPECT_EQ(blocks.needed, *needed);
  EXPECT_EQ(blocks.summary.rows, 6000);
  EXPECT_EQ(read_all(*blocks.blocks()).rewards().size(), 6000U);
}

TEST_F(LogsTest, WhatCannotTakeBlocksSaysSoWithTheSize) {
  const auto made =
      for_blocks({{"naive", Naive{}}, {"dr", DoublyRobust{}}}, 12'300'000'000, request(2'000'000'000), streams_);
  EXPECT_TRUE(std::holds_alternative<Estimator>(made[0].estimator));
  EXPECT_EQ(std::get<Failure>(made[1].estimator).code, "needs_memory");
  EXPECT_THAT(std::get<Failure>(made[1].estimator).message, AllOf(HasSubstr("12 GB"), HasSubstr("2.0 GB may be used")));
  EXPECT_THAT(err_.str(), HasSubstr("dr cannot answer"));
  EXPECT_THAT(
      [&] {
        for_blocks({{"dr", DoublyRobust{}}}, 1'000'000, request(10), streams_);
      },
      ThrowsMessage<FileError>(AllOf(HasSubstr("1.0 MB"), HasSubstr("10 bytes"), HasSubstr("--memory"))));
}

}  // namespace
}  // namespace starope::cli
