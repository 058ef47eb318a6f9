#include "columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "failure.hpp"

namespace starope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

io::ReadOptions parsed(std::vector<std::string> arguments) {
  CLI::App app;
  io::ReadOptions options;
  add_column_flags(app, options);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  return options;
}

TEST(Columns, NothingGivenMeansCanonicalNames) {
  const io::ReadOptions options = parsed({});
  EXPECT_FALSE(options.episode.has_value());
  EXPECT_TRUE(options.state.empty());
  EXPECT_EQ(options.state_kind, io::StateKind::automatic);
  EXPECT_FALSE(options.sort);
}

TEST(Columns, EveryFlagReachesItsColumn) {
  const io::ReadOptions options =
      parsed({"--episode",       "a", "--t",           "b", "--reward",      "c", "--behavior-prob",  "d",
              "--behavior-logp", "e", "--target-prob", "f", "--target-logp", "g", "--behavior-probs", "h",
              "--target-probs",  "i", "--terminated",  "j", "--truncated",   "k"});
  EXPECT_THAT(options.episode, Optional(std::string("a")));
  EXPECT_THAT(options.t, Optional(std::string("b")));
  EXPECT_THAT(options.reward, Optional(std::string("c")));
  EXPECT_THAT(options.behavior_prob, Optional(std::string("d")));
  EXPECT_THAT(options.behavior_logp, Optional(std::string("e")));
  EXPECT_THAT(options.target_prob, Optional(std::string("f")));
  EXPECT_THAT(options.target_logp, Optional(std::string("g")));
  EXPECT_THAT(options.behavior_probs, Optional(std::string("h")));
  EXPECT_THAT(options.target_probs, Optional(std::string("i")));
  EXPECT_THAT(options.terminated, Optional(std::string("j")));
  EXPECT_THAT(options.truncated, Optional(std::string("k")));
}

TEST(Columns, ListsKindsAndSorting) {
  const io::ReadOptions options = parsed(
      {"--state", "hr,bp", "--action=dose", "--state-kind", "discrete", "--action-kind", "continuous", "--sort"});
  EXPECT_THAT(options.state, ElementsAre("hr", "bp"));
  EXPECT_THAT(options.action, ElementsAre("dose"));
  EXPECT_EQ(options.state_kind, io::StateKind::discrete);
  EXPECT_EQ(options.action_kind, io::ActionKind::continuous);
  EXPECT_TRUE(options.sort);
}

TEST(Columns, UnknownKindsAreUsageErrors) {
  EXPECT_THROW(parsed({"--state-kind", "discreet"}), UsageError);
}

}  // namespace
}  // namespace starope::cli
