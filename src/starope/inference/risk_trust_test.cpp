#include "starope/inference/risk_trust.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starope {
namespace {

TEST(RiskTrust, SidesHaveSizes) {
  const std::vector<double> returns{1.0, 2.0, 3.0, 4.0}, even{1.0, 1.0, 1.0, 1.0}, uneven{8.0, 1.0, 1.0, 0.0};
  const RiskQuestion question{.quantiles = {0.5}, .cvar = {0.5}, .below = {2.5, 0.5}};
  const std::vector<double> alike = effective_sides(returns, even, question);
  ASSERT_EQ(alike.size(), 4U);
  EXPECT_DOUBLE_EQ(alike[0], 2.0);
  EXPECT_DOUBLE_EQ(alike[1], 2.0);
  EXPECT_DOUBLE_EQ(alike[2], 2.0);
  EXPECT_DOUBLE_EQ(alike[3], 4.0);  // nobody was ever below
  const std::vector<double> found = effective_sides(returns, uneven, question);
  EXPECT_DOUBLE_EQ(found[2], 1.0);  // above: weights 1 and 0
  EXPECT_DOUBLE_EQ(effective_weights(uneven), 100.0 / 66.0);
}

// Logs with more in a tail than belongs there know no more of it: 6 of 10 earn the least, and a tenth is asked about.
TEST(RiskTrust, AnOverfullTailIsNoLargerThanItsShare) {
  const std::vector<double> returns{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0}, even(10, 1.0);
  const std::vector<double> found = effective_sides(returns, even, {.quantiles = {0.1, 0.9}, .cvar = {0.1}});
  EXPECT_DOUBLE_EQ(found[0], 1.0);
  EXPECT_NEAR(found[1], 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(found[2], 1.0);
}

TEST(RiskTrust, DistanceOfDistributions) {
  const StepFunction a{.points = {1.0, 2.0}, .mass = {0.5, 0.5}}, b{.points = {1.5, 2.0, 3.0}, .mass = {0.2, 0.5, 0.3}};
  EXPECT_DOUBLE_EQ(largest_distance(a, b), 0.5);  // at 1
  EXPECT_DOUBLE_EQ(largest_distance(b, a), 0.5);
  EXPECT_DOUBLE_EQ(largest_distance(a, a), 0.0);
}

TEST(RiskTrust, ShiftsMoveMassToTheEnds) {
  const StepFunction f{.points = {1.0, 2.0, 3.0}, .mass = {0.2, 0.5, 0.3}};
  const StepFunction worse = shifted(f, 0.4), better = shifted(f, -0.4);
  EXPECT_NEAR(worse.mass[0], 0.6, 1e-12);
  EXPECT_NEAR(worse.mass[1], 0.4, 1e-12);
  EXPECT_NEAR(worse.mass[2], 0.0, 1e-12);
  EXPECT_NEAR(better.mass[0], 0.0, 1e-12);
  EXPECT_NEAR(better.mass[1], 0.3, 1e-12);
  EXPECT_NEAR(better.mass[2], 0.7, 1e-12);
  EXPECT_NEAR(largest_distance(f, worse), 0.4, 1e-12);
}

TEST(RiskTrust, ShapeErrorForgivesChance) {
  const auto error = [](double distance, double episodes, double rollouts) {
    return shape_error({.distance = distance, .logged_episodes = episodes, .rollouts = rollouts});
  };
  EXPECT_EQ(error(0.0, 100, 1000), 0.0);
  EXPECT_NEAR(error(0.1, 1e9, 1e9), 0.3, 1e-4);
  EXPECT_LT(error(0.05, 100, 1000), 0.06);
}

TEST(RiskTrust, ATrialOnOtherReturnsProvesLess) {
  const StepFunction logged{.points = {0.0, 1.0, 2.0, 9.0}, .mass = {0.4, 0.3, 0.2, 0.1}};
  const StepFunction target{.points = {0.0, 2.0, 9.0, 10.0}, .mass = {0.05, 0.15, 0.75, 0.05}};
  EXPECT_NEAR(shared_returns(logged, target), 0.3, 1e-12);  // 2 and 9
  EXPECT_NEAR(shared_returns(logged, logged), 0.9, 1e-12);  // from 0 to 2
  // A fifth of the episodes instead of two: an error there is twice as large in them as it seems.
  const ProcessTrial here{.distance = 0.05, .logged_episodes = 1e12, .rollouts = 1e12};
  ProcessTrial there = here;
  there.shared = 0.2;
  EXPECT_NEAR(shape_error(there), 2.0 * shape_error(here), 1e-5);
  // Few episodes cannot show that the process is right.
  EXPECT_GT(shape_error({.distance = 0.0, .shared = 0.1, .logged_episodes = 300, .rollouts = 2000}), 0.25);
  there.shared = 0.0;
  EXPECT_LE(shape_error(there), 1.0);
}

// A trial after which the shape may be wrong by so much.
ProcessTrial trial_with(double error) {
  return {.distance = error / 3.0, .logged_episodes = 1e12, .rollouts = 1e12};
}

std::vector<ReturnDistribution> methods(double ess) {
  return {{.method = "logged"},
          {.method = "wis", .quantiles = {{.at = 0.1, .ess = ess / 10.0}}, .ess = ess},
          {.method = "arp", .ess = 300.0},
          {.method = "dr", .quantiles = {{.at = 0.1, .ess = ess / 10.0}}, .ess = ess}};
}

TEST(RiskTrust, TheRuleFollowsTheWeightsAndTheProcess) {
  auto many = methods(500.0);
  judge(many, trial_with(0.01));
  EXPECT_TRUE(many[3].believed);
  EXPECT_TRUE(many[3].findings.empty());
  auto few = methods(15.0);  // 1.5 of them below the quantile
  judge(few, trial_with(0.1));
  EXPECT_TRUE(few[2].believed);
  EXPECT_FALSE(few[1].believed || few[3].believed);
  EXPECT_EQ(few[1].findings.front().code, "few_for_risk");
  EXPECT_EQ(few[1].findings.front().severity, Severity::critical);
  EXPECT_EQ(few[2].findings.front().code, "process_misses_returns");
  auto none = methods(15.0);
  judge(none, trial_with(0.4));
  for (const ReturnDistribution& each : none) EXPECT_FALSE(each.believed) << each.method;
  auto elsewhere = methods(15.0);
  ProcessTrial trial = trial_with(0.03);
  trial.shared = 0.2;
  judge(elsewhere, trial);
  EXPECT_TRUE(elsewhere[2].believed);
  EXPECT_EQ(elsewhere[2].findings.front().code, "process_tried_elsewhere");
  auto cut = methods(500.0);  // however many carry the weights, their returns are those of shorter episodes
  judge(cut, trial_with(0.01), {.cut = 7, .episodes = 500});
  EXPECT_TRUE(cut[2].believed);
  for (const std::size_t weighted : {1U, 3U}) {
    EXPECT_FALSE(cut[weighted].believed);
    EXPECT_EQ(cut[weighted].findings.front().code, "returns_cut");
  }
  auto coarse = methods(500.0);  // weights are enough, a process that is wrong does not help
  judge(coarse, trial_with(0.4));
  EXPECT_TRUE(coarse[1].believed);
}

// In logs of one step a process draws the same rows that weights count: it knows no more of a tail than they do.
TEST(RiskTrust, AProcessOfFewEpisodesInTheTailIsNotBelieved) {
  const auto asked = [](double ess, double share) {
    std::vector<ReturnDistribution> all = {
        {.method = "logged"},
        {.method = "wis", .cvar = {{.at = share, .value = 1.0, .ess = ess * share}}, .ess = ess},
        {.method = "arp", .cvar = {{.at = share, .value = 1.0}}, .ess = ess}};
    add_expected_sides(all[2]);
    judge(all, ProcessTrial{.distance = 0.0, .logged_episodes = 100.0, .rollouts = 1000.0});
    return all[2];
  };
  EXPECT_DOUBLE_EQ(*asked(60.0, 0.1).cvar[0].ess, 6.0);
  EXPECT_TRUE(asked(60.0, 0.1).believed);
  ASSERT_EQ(asked(60.0, 0.1).findings.size(), 1U);
  EXPECT_EQ(asked(60.0, 0.1).findings[0].code, "few_for_process");
  EXPECT_EQ(asked(60.0, 0.1).findings[0].severity, Severity::warning);
  EXPECT_FALSE(asked(60.0, 0.02).believed);
  EXPECT_EQ(asked(60.0, 0.02).findings[0].severity, Severity::critical);
  ReturnDistribution process{.method = "arp",
                             .quantiles = {{.at = 0.9, .value = 1.0}},
                             .below = {{.at = 0.0, .value = 0.0}, {.at = 5.0, .value = 0.75}},
                             .ess = 100.0};
  add_expected_sides(process);
  EXPECT_NEAR(*process.quantiles[0].ess, 10.0, 1e-9);
  EXPECT_EQ(*process.below[0].ess, 100.0);  // nothing below: how little that proves is in the widened interval
  EXPECT_EQ(*process.below[1].ess, 25.0);
  // A probability of one in a hundred is an answer, with a warning.
  std::vector<ReturnDistribution> rare = {{.method = "arp", .below = {{.at = 1.0, .value = 0.01}}, .ess = 100.0}};
  add_expected_sides(rare[0]);
  judge(rare, ProcessTrial{.distance = 0.0, .logged_episodes = 100.0, .rollouts = 1000.0});
  EXPECT_TRUE(rare[0].believed);
  ASSERT_EQ(rare[0].findings.size(), 1U);
  EXPECT_EQ(rare[0].findings[0].severity, Severity::warning);
}

}  // namespace
}  // namespace starope
