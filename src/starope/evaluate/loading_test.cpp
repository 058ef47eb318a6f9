#include "starope/evaluate/loading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Three thousand episodes of two steps; `ward` of episode e is "w" and its last digit.
class LoadingTest : public ::testing::Test {
 protected:
  LoadingTest() {
    std::ofstream file(path_);
    file << "episode,state,reward,behavior_prob,target_prob,ward\n";
    for (int e = 0; e < 3000; ++e) {
      file << e << ",0.5,1,0.5,0.25,w" << e % 10 << "\n";
      file << e << ",1.5,1,0.5,0.25,other\n";
    }
  }

  LoadedLogs loaded(std::int64_t memory, const io::ReadOptions& columns = {}) const {
    return load_logs(path_, columns, too_large(path_, columns, memory), {.memory = memory});
  }

  const starope::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path("logs.csv");
};

TEST_F(LoadingTest, FitOrComeInBlocks) {
  const LoadedLogs memory = loaded(1'000'000);
  EXPECT_EQ(memory.blocks(), nullptr);
  EXPECT_EQ(memory.first().steps(), 6000);
  const LoadedLogs blocks = loaded(1000);
  ASSERT_NE(blocks.blocks(), nullptr);
  EXPECT_EQ(blocks.needed, too_large(path_, {}, 1000));
  EXPECT_EQ(blocks.summary.rows, 6000);
  const Dataset all = read_all(*blocks.blocks());
  const auto& expected = std::get<Dataset>(memory.episodes);
  EXPECT_EQ(all.columns().rewards, expected.columns().rewards);
  EXPECT_TRUE(all.columns().states == expected.columns().states);
}

TEST_F(LoadingTest, WhatIsReadAtOnceIsRefusedBeforeItIsRead) {
  EXPECT_THAT([&] { loaded(1000, {.sort = true}); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("can only be read at once"), HasSubstr("1.0 kB may be used"),
                                             HasSubstr("--sql \"from '" + path_ + "'\""))));
}

// Of a large file only the first rows are looked at: the rest of this one does not exist.
TEST_F(LoadingTest, SaysWhatIsTakenInAnyCase) {
  const auto asked = [](Estimator estimator) {
    return std::vector<RequestedEstimator>{{.text = "it", .estimator = std::move(estimator)}};
  };
  EXPECT_EQ(least_memory(path_, {}, asked(Naive{})), std::nullopt);
  const auto least = [&](const char* states, const std::vector<RequestedEstimator>& estimators) {
    const std::string path = folder_.path("large.csv");
    {
      std::ofstream file(path);
      file << "episode," << states << ",reward,behavior_prob,target_prob\n";
      for (int i = 0; i < 20'000; ++i) file << i << ",0.5,0.25,1,0.5,0.25\n";
    }
    std::filesystem::resize_file(path, 100'000'000);
    return least_memory(path, {}, estimators).value();
  };
  const std::int64_t plain = least("state_0,state_1", asked(Naive{}));
  EXPECT_EQ(least("state_0,state_1", asked(Star{})),
            plain + std::int64_t{1'000'000} * (2 * 8 + 24));  // a million states
  EXPECT_EQ(least("state_0,x", asked(Star{})), plain + std::int64_t{1'000'000} * (8 + 24));
  const std::int64_t fitted = least("state_0,state_1", asked(Auto{}));
  EXPECT_GT(fitted, plain + 50'000'000);
  EXPECT_LT(fitted, plain + 200'000'000);
  EXPECT_EQ(least_memory_text("x.csv", fitted, fitted), "");
  EXPECT_EQ(least_memory_text("x.csv", std::nullopt, 1), "");
  EXPECT_THAT(least_memory_text("x.csv", 250'000'000, 100'000'000),
              AllOf(HasSubstr("x.csv: this takes about 250 MB"), HasSubstr("100 MB may be used")));
}

TEST_F(LoadingTest, GroupsAreThoseOfMemory) {
  const std::vector<std::string> values = values_by_episode(path_, "ward", {}, loaded(1'000'000).episodes);
  ASSERT_EQ(values.size(), 3000U);
  EXPECT_EQ(values[17], "w7");
  EXPECT_EQ(values_by_episode(path_, "ward", {}, loaded(1000).episodes), values);
}

// Who was treated depends on the logged policy, and so would the group.
TEST_F(LoadingTest, GroupsAreOfWhatIsKnownBeforeTheAction) {
  const auto episodes = loaded(1'000'000).episodes;
  for (const char* later : {"action", "reward", "behavior_prob", "target_prob", "terminated", "truncated"}) {
    EXPECT_THAT([&] { values_by_episode(path_, later, {}, episodes); },
                ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("known only after the action")))
        << later;
  }
  EXPECT_THAT([&] { values_by_episode(path_, "ward", {.action = {"ward"}}, episodes); },
              ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("known only after the action")));
}

TEST_F(LoadingTest, EstimatorsThatNeedMemorySaySoWithTheSize) {
  const BlockEstimators made =
      for_blocks({{"naive", Naive{}}, {"dr", DoublyRobust{}}}, "x.csv", 12'300'000'000, 2'000'000'000);
  EXPECT_TRUE(std::holds_alternative<Estimator>(made.estimators[0].estimator));
  EXPECT_EQ(std::get<Failure>(made.estimators[1].estimator).code, "needs_memory");
  EXPECT_THAT(made.left_out, AllOf(HasSubstr("dr cannot answer"), HasSubstr("12 GB"), HasSubstr("2.0 GB may be used")));
  EXPECT_EQ(for_blocks({{"naive", Naive{}}}, "x.csv", 10, 1).left_out, "");
  EXPECT_THAT(
      [&] {
        for_blocks({{"dr", DoublyRobust{}}}, "x.csv", 1'000'000, 10);
      },
      ThrowsMessage<FileError>(AllOf(HasSubstr("1.0 MB"), HasSubstr("10 bytes"), HasSubstr("--memory"))));
}

TEST(Sizes, HaveUnits) {
  EXPECT_EQ(parse_size("2GB"), 2'000'000'000);
  EXPECT_EQ(parse_size("1.5g"), 1'500'000'000);
  EXPECT_EQ(parse_size("+64k"), 64'000);
  EXPECT_EQ(parse_size("123"), 123);
  EXPECT_EQ(parse_size("7B"), 7);
  for (const char* wrong : {"", "GB", "0", "-1GB", "2 GB", "2XB", "1e3", "1.2.3GB", "nanGB", "99999999999TB", "++1"})
    EXPECT_EQ(parse_size(wrong), std::nullopt) << wrong;
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1'000), "1.0 kB");
  EXPECT_EQ(size_text(12'345'678), "12 MB");
}

}  // namespace
}  // namespace starope
