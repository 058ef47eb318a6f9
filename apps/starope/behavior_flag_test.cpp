#include "behavior_flag.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Parsed {
  BehaviorFlag flag{};
  io::ReadOptions columns{};
};

Parsed parsed(const std::string& how) {
  Parsed made;
  CLI::App page;
  add_behavior_flag(page, made.flag, made.columns);
  page.parse("--behavior " + how);
  return made;
}

TEST(BehaviorFlag, SaysWhichColumnsAreRead) {
  const Parsed logged = parsed("logged"), estimated = parsed("estimate"), filled = parsed("\"fill(method=global)\"");
  EXPECT_FALSE(logged.columns.need_action);
  EXPECT_FALSE(logged.flag.recipe(Seed{1}, "starope"));
  EXPECT_FALSE(estimated.columns.need_behavior);
  EXPECT_EQ(estimated.columns.behavior_prob, "");
  EXPECT_FALSE(estimated.columns.behavior_gaps);
  EXPECT_FALSE(estimated.flag.recipe(Seed{1}, "starope")->fill);
  EXPECT_TRUE(filled.columns.behavior_gaps);
  EXPECT_TRUE(filled.columns.need_behavior);
  EXPECT_EQ(filled.flag.recipe(Seed{1}, "starope")->method, BehaviorMethod::global);
  EXPECT_TRUE(filled.flag.recipe(Seed{1}, "starope")->fill);
}

TEST(BehaviorFlag, SlipsNameTheFlag) {
  const Parsed slip = parsed("guess");
  EXPECT_THAT([&] { slip.flag.recipe({}, "starope compare"); },
              ThrowsMessage<UsageError>(HasSubstr("--behavior guess")));
}

// Five of eight actions are 0, whatever the state, and half a count is added to either: a target policy that always
// takes it has ratios of 9 / 5.5 and 0, where 0.5 was logged.
TEST(BehaviorFlag, IsTheBehaviorPolicyOfTheAnswers) {
  const starope::testing::TemporaryFolder folder;
  {
    std::ofstream file(folder.path("logs.csv"));
    file << "episode,state,action,reward,behavior_prob,target_prob\n";
    for (int e = 0; e < 8; ++e) file << e << ",0," << (e < 5 ? 0 : 1) << "," << e << ",0.5," << (e < 5 ? 1 : 0) << "\n";
  }
  const Parsed flag = parsed("\"estimate(method=global)\"");
  const LogsRequest request{.data = folder.path("logs.csv"), .columns = flag.columns};
  std::ostringstream out, err;
  Streams streams{out, err, {}, {}};
  Progress progress(streams);
  const Logs logs = load(request, too_large(request), progress);
  const std::vector<RequestedEstimator> estimators = request_estimators({"is"}, {}, Seed{});
  const Evaluation found =
      evaluate_logs(request, logs, std::nullopt, flag.flag.recipe({}, "starope"), {}, estimators, {.checks = false});
  EXPECT_NEAR(std::get<Estimate>(found.estimates.at(0).result).value, 9.0 / 5.5 * (0 + 1 + 2 + 3 + 4) / 8.0, 1e-9);
}

}  // namespace
}  // namespace starope::cli
