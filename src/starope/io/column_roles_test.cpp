#include "starope/io/column_roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Names = std::vector<std::string>;
using Scale = LoggedProbabilities::Scale;

const Names full = {"episode",       "t",           "state",      "action",   "reward",
                    "behavior_prob", "target_prob", "terminated", "truncated"};

std::string error_of(const Names& names, const ReadOptions& options = {}) {
  try {
    match_columns(names, options, "logs.csv");
  } catch (const DataError& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

Names without(const std::string& name) {
  Names names = full;
  names.erase(std::find(names.begin(), names.end(), name));
  return names;
}

TEST(ColumnRoles, FindsTheCanonicalNames) {
  const ColumnRoles roles = match_columns(full, {}, "");
  EXPECT_EQ(roles.episode, 0);
  EXPECT_EQ(roles.t, 1);
  EXPECT_THAT(roles.state, ElementsAre(2));
  EXPECT_FALSE(roles.state_is_list);
  EXPECT_THAT(roles.action, ElementsAre(3));
  EXPECT_EQ(roles.reward, 4);
  EXPECT_EQ(roles.behavior, (ColumnRoles::Probability{5, Scale::linear}));
  EXPECT_EQ(roles.target, (ColumnRoles::Probability{6, Scale::linear}));
  EXPECT_EQ(roles.terminated, 7);
  EXPECT_EQ(roles.truncated, 8);
  EXPECT_THAT(roles.behavior_probs, IsEmpty());
}

TEST(ColumnRoles, ListsAreNumberedWhateverTheirOrderInTheFile) {
  const Names names = {"reward",        "state_10",       "state_2", "state_1",        "state_0", "state_3",
                       "state_4",       "state_5",        "state_6", "state_7",        "state_8", "state_9",
                       "behavior_prob", "target_probs_1", "episode", "target_probs_0", "action",  "state_name"};
  const ColumnRoles roles = match_columns(names, {}, "");
  EXPECT_THAT(roles.state, ElementsAre(4, 3, 2, 5, 6, 7, 8, 9, 10, 11, 1));
  EXPECT_TRUE(roles.state_is_list);
  EXPECT_THAT(roles.target_probs, ElementsAre(15, 13));
  EXPECT_EQ(roles.target, std::nullopt);  // to be taken from the distribution
}

TEST(ColumnRoles, TakesTheNamesTheCallerGives) {
  const Names names = {"stay", "hr", "bp", "drug", "r", "pb", "lp", "p_0", "p_1", "q_0", "q_1", "reward"};
  const ColumnRoles roles = match_columns(names,
                                          {.episode = "stay",
                                           .state = {"bp", "hr"},
                                           .action = {"drug"},
                                           .reward = "r",
                                           .behavior_prob = "pb",
                                           .target_logp = "lp",
                                           .behavior_probs = "p_",
                                           .target_probs = "q"},
                                          "");
  EXPECT_THAT(roles.state, ElementsAre(2, 1));
  EXPECT_TRUE(roles.state_is_list);
  EXPECT_FALSE(roles.action_is_list);
  EXPECT_EQ(roles.reward, 4);
  EXPECT_EQ(roles.target, (ColumnRoles::Probability{6, Scale::logarithm}));
  EXPECT_THAT(roles.behavior_probs, ElementsAre(7, 8));
  EXPECT_THAT(roles.target_probs, ElementsAre(9, 10));
  const auto used = used_columns(roles, names);
  EXPECT_THAT(used, ::testing::Contains(UsedColumn{"reward", "r"}));
  EXPECT_THAT(used, ::testing::Contains(UsedColumn{"state_0", "bp"}));
  EXPECT_THAT(used, ::testing::Contains(UsedColumn{"target_logp", "lp"}));
  EXPECT_THAT(used, ::testing::Contains(UsedColumn{"behavior_probs_1", "p_1"}));
}

TEST(ColumnRoles, AnEmptyNameSaysNotToUseAColumn) {
  const ColumnRoles roles = match_columns(full, {.t = "", .truncated = ""}, "");
  EXPECT_EQ(roles.t, std::nullopt);
  EXPECT_EQ(roles.truncated, std::nullopt);
  EXPECT_EQ(roles.terminated, 7);
}

TEST(ColumnRoles, AMissingColumnIsNamedWithItsMeaningANearNameAndTheFlag) {
  Names names = without("reward");
  names.push_back("rewrad");
  EXPECT_THAT(error_of(names), AllOf(HasSubstr("missing_column: logs.csv, column 'reward'"), HasSubstr("earned"),
                                     HasSubstr("Did you mean 'rewrad'? Then pass --reward rewrad"),
                                     HasSubstr("--reward NAME"), HasSubstr("the file has: episode, t, state")));
  names.back() = " reward";  // as one types it
  EXPECT_THAT(error_of(names), HasSubstr("Then pass --reward ' reward'."));
  EXPECT_THAT(error_of(without("episode")),
              AllOf(HasSubstr("column 'episode'"), HasSubstr("--episode NAME"), Not(HasSubstr("Did you mean"))));
  EXPECT_THAT(error_of(without("state")), AllOf(HasSubstr("column 'state'"), HasSubstr("'state_0'")));
  EXPECT_THAT(error_of(without("behavior_prob")), AllOf(HasSubstr("column 'behavior_prob'"), HasSubstr("behavior_logp"),
                                                        HasSubstr("--behavior-prob NAME")));
  EXPECT_THAT(error_of(without("target_prob")), HasSubstr("column 'target_prob'"));
  EXPECT_EQ(error_of(without("action")), "no error");
  EXPECT_THAT(error_of(without("action"), {.need_action = true}), HasSubstr("column 'action'"));
  EXPECT_THAT(error_of(full, {.terminated = "done"}), AllOf(HasSubstr("column 'done'"), HasSubstr("--terminated")));
  EXPECT_THAT(error_of(full, {.behavior_probs = "p_"}), HasSubstr("column 'p_0'"));
  EXPECT_THAT(error_of({"episode;t;reward"}), HasSubstr("separate the fields with commas"));
}

TEST(ColumnRoles, WhatIsNotNeededMayBeMissing) {
  EXPECT_EQ(error_of(without("state"), {.need_state = false}), "no error");
  EXPECT_EQ(error_of(without("behavior_prob"), {.need_behavior = false}), "no error");
  EXPECT_EQ(error_of(without("target_prob"), {.need_target = false}), "no error");
}

TEST(ColumnRoles, DistributionsStandInForProbabilitiesOnlyBesideActions) {
  Names names = without("target_prob");
  names.insert(names.end(), {"target_probs_0", "target_probs_1"});
  EXPECT_EQ(error_of(names), "no error");
  names.erase(std::find(names.begin(), names.end(), "action"));
  EXPECT_THAT(error_of(names), HasSubstr("column 'target_prob'"));
}

TEST(ColumnRoles, ProbabilitiesAndLogarithmsTogetherAreAmbiguousUnlessOneIsNamed) {
  Names names = full;
  names.push_back("behavior_logp");
  EXPECT_THAT(error_of(names), AllOf(HasSubstr("both_probabilities: logs.csv"), HasSubstr("'behavior_prob'"),
                                     HasSubstr("probabilities and log-probabilities both given"),
                                     HasSubstr("--behavior-logp behavior_logp")));
  EXPECT_EQ(match_columns(names, {.behavior_logp = "behavior_logp"}, "").behavior->scale, Scale::logarithm);
  EXPECT_EQ(match_columns(names, {.behavior_prob = "behavior_prob"}, "").behavior->scale, Scale::linear);
  EXPECT_EQ(match_columns(names, {.behavior_prob = ""}, "").behavior->scale, Scale::logarithm);
  names.back() = "target_logp";
  EXPECT_THAT(error_of(names), HasSubstr("'target_prob'"));
}

TEST(ColumnRoles, RefusesGapsAndAmbiguousLists) {
  Names names = without("state");
  names.insert(names.end(), {"state_0", "state_2"});
  EXPECT_THAT(error_of(names),
              AllOf(HasSubstr("column_gap: logs.csv, column 'state_1'"), HasSubstr("'state_2'"), HasSubstr("--state")));
  names.back() = "state";
  EXPECT_THAT(error_of(names), AllOf(HasSubstr("ambiguous_columns"), HasSubstr("'state_0'"), HasSubstr("--state")));
  EXPECT_EQ(error_of(names, {.state = {"state"}}), "no error");
}

// What is a matrix in one format and a column of lists in another is asked for by its own name.
TEST(ColumnRoles, AMatrixIsNamedWithoutItsNumbers) {
  Names names = without("state");
  names.insert(names.end(), {"seen_0", "seen_1", "age"});
  const ColumnRoles roles = match_columns(names, {.state = {"seen", "age"}}, "");
  const auto at = static_cast<std::int64_t>(names.size());
  EXPECT_EQ(roles.state, (std::vector<std::int64_t>{at - 3, at - 2, at - 1}));
  EXPECT_TRUE(match_columns(names, {.state = {"seen"}}, "").state_is_list);
  EXPECT_THAT(error_of(names, {.state = {"see"}}), HasSubstr("column 'see'"));
}

TEST(ColumnRoles, BothPoliciesHaveTheSameActions) {
  Names names = full;
  names.insert(names.end(), {"behavior_probs_0", "behavior_probs_1", "target_probs_0"});
  EXPECT_THAT(error_of(names), AllOf(HasSubstr("action_count: logs.csv"), HasSubstr("'behavior_probs_1'"),
                                     HasSubstr("'target_probs_0'")));
  names.push_back("target_probs_1");
  EXPECT_EQ(error_of(names), "no error");
  EXPECT_THAT(error_of(names, {.action_kind = ActionKind::continuous}),
              AllOf(HasSubstr("'behavior_probs_0'"), HasSubstr("--action-kind discrete")));
}

TEST(ColumnRoles, SeveralColumnsAreNoDiscreteState) {
  Names names = full;
  names.push_back("x");
  EXPECT_THROW(match_columns(names, {.state = {"state", "x"}, .state_kind = StateKind::discrete}, ""), InvalidArgument);
  EXPECT_THROW(match_columns(names, {.action = {"action", "x"}, .action_kind = ActionKind::discrete}, ""),
               InvalidArgument);
}

}  // namespace
}  // namespace starope::io
