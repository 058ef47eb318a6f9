#include "starope/checks/probability_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/checks/testing.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

using testing::codes;
using testing::find;
using testing::number;
using testing::small_world;
using testing::word;

std::vector<Finding> checked(const Dataset& data, double shrink = 1.0) {
  const ProbabilityChecks checks(data);
  const Problem problem = make_problem(data);
  ProbabilityChecks::Statistic total = checks.identity();
  const std::span<const double> ratios(problem.episode(0).ratios.data(), static_cast<std::size_t>(data.steps()));
  for (std::int64_t e = 0; e < data.episodes(); ++e) checks.add(total, {.data = data, .ratios = ratios}, e);
  return checks.findings(total, data, shrink);
}

TEST(LogProduct, IsTheSumOfTheLogarithms) {
  LogProduct product;
  double sum = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const double x = std::pow(10.0, (i % 7) - 2);  // the product alone would leave the range of numbers
    product.multiply(x);
    sum += std::log(x);
  }
  for (const double x : {1e-300, 1e300, 1e308, 5e-324}) {
    product.multiply(x);
    sum += std::log(x);
  }
  EXPECT_NEAR(product.log(), sum, 1e-12 * sum);
  product.multiply(0.0);
  EXPECT_EQ(product.log(), -HUGE_VAL);
}

TEST(ActionGroups, AtMostEight) {
  const ActionGroups three{.actions = 3};
  EXPECT_EQ(three.count(), 3);
  EXPECT_EQ(three.size(2), 1);
  EXPECT_EQ(three.name(2), "action 2");
  const ActionGroups many{.actions = 19};
  EXPECT_EQ(many.count(), 8);
  EXPECT_EQ(many.of(17), 1);
  std::int32_t all = 0;
  for (std::int32_t g = 0; g < 8; ++g) all += many.size(g);
  EXPECT_EQ(all, 19);
  EXPECT_EQ(many.size(2), 3);  // 2, 10, 18
  EXPECT_EQ(many.size(3), 2);  // 3, 11
  EXPECT_EQ(many.name(2), "actions 2, 10, ...");
  EXPECT_EQ(many.name(3), "actions 3 and 11");
}

TEST(ProbabilityChecks, TheFirstTermsByHand) {
  testing::SmallWorld world = small_world(1, Seed{1});
  const Dataset data = world.dataset();
  const ProbabilityChecks checks(data);
  const Problem problem = make_problem(data);
  ProbabilityChecks::Statistic total = checks.identity();
  checks.add(total, {.data = data, .ratios = problem.episode(0).ratios}, 0);
  double ratios = 0.0;
  for (const double ratio : problem.episode(0).ratios) ratios += ratio - 1.0;
  EXPECT_DOUBLE_EQ(total.means[0].sum, ratios);
  EXPECT_EQ(total.rows, world.length);
  EXPECT_EQ(total.step_rows[0], 1);
  EXPECT_EQ(total.step_rows[2], 2);  // steps 2 and 3
  EXPECT_EQ(total.step_rows[3], 4);
}

// Twenty episodes whose ratios are all alike: too few for a mean, but the product of 300 ratios of 1.2 is 10^23.
TEST(ProbabilityChecks, FewEpisodesWithEqualRatiosAreProofByTheirProduct) {
  const testing::SmallWorld world = small_world(20, Seed{11});
  const auto rows = static_cast<std::size_t>(world.steps());
  const auto with_ratio = [&](double ratio) {
    return checked(world.dataset(std::vector<double>(rows, 0.5), std::vector<double>(rows, 0.5 * ratio)));
  };
  EXPECT_EQ(codes(with_ratio(1.04)), "");  // 300 log10(1.04) = 5.1 digits: one in a hundred thousand may be chance
  const std::vector<Finding> found = with_ratio(1.2);
  ASSERT_NE(find(found, "target_likelier"), nullptr) << codes(found);
  EXPECT_NEAR(number(*find(found, "target_likelier"), "digits"), 300.0 * std::log10(1.2), 1e-9);
  // Each episode twice: half of the rows say nothing new.
  const std::vector<Finding> copies =
      checked(world.dataset(std::vector<double>(rows, 0.5), std::vector<double>(rows, 0.5 * 1.06)), std::sqrt(2.0));
  EXPECT_EQ(codes(copies), "");  // 7.6 digits of 300 rows, 3.8 of 150
}

TEST(ProbabilityChecks, RatiosBeyondSquaresAreFarFromOneAsWell) {
  const testing::SmallWorld world = small_world(60, Seed{12});
  const auto rows = static_cast<std::size_t>(world.steps());
  const std::vector<Finding> found =
      checked(world.dataset(std::vector<double>(rows, 1e-300), std::vector<double>(rows, 0.5)));
  EXPECT_EQ(codes(found), "critical:ratio_mean");
}

TEST(ProbabilityChecks, SoundLogsHaveNoFinding) {
  for (const bool distributions : {false, true}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      testing::SmallWorld world = small_world(100, Seed{seed});
      world.distributions = distributions;
      EXPECT_EQ(codes(checked(world.dataset())), "") << seed;
    }
  }
}

TEST(ProbabilityChecks, BehaviorOfAnotherPolicy) {
  const testing::SmallWorld world = small_world(400, Seed{1});
  std::vector<double> another;
  for (const std::int32_t a : world.action) another.push_back(a == 0 ? 0.2 : 0.8);
  const auto found = checked(world.dataset(another, world.logged(world.target)));
  ASSERT_EQ(codes(found), "critical:behavior_prob_wrong");
  EXPECT_EQ(word(found[0], "action"), "action 0");
  EXPECT_EQ(word(found[0], "where"), "all steps");
  double zeros = 0.0;
  for (const std::int32_t a : world.action) zeros += a == 0 ? 1.0 : 0.0;
  EXPECT_NEAR(number(found[0], "count"), zeros / static_cast<double>(world.steps()) / 0.2, 1e-12);
}

// Right on the whole, wrong in every state: the probabilities of two halves of the states are exchanged.
TEST(ProbabilityChecks, BehaviorWrongByRegionOnly) {
  testing::SmallWorld world = small_world(600, Seed{1});
  for (double& p : world.behavior) p = 1.0 - p;
  double ones = 0.0;
  for (const std::int32_t a : world.action) ones += a;
  EXPECT_NEAR(ones / static_cast<double>(world.steps()), 0.5, 0.05);
  EXPECT_EQ(find(checked(world.dataset()), "behavior_prob_wrong")->severity, Severity::critical);
  world.distributions = true;
  const auto found = checked(world.dataset());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].code, "behavior_calibration");
}

TEST(ProbabilityChecks, CalibrationSaysHowOftenActionsComeInstead) {
  testing::SmallWorld world = small_world(600, Seed{1});
  for (double& p : world.behavior) p = 0.85;  // of action 1, which comes in about half of the steps
  world.distributions = true;
  const auto found = checked(world.dataset());
  ASSERT_FALSE(found.empty());
  ASSERT_EQ(found[0].code, "behavior_calibration");
  const double expected = number(found[0], "expected"), observed = number(found[0], "observed");
  double ones = 0.0;
  for (const std::int32_t a : world.action) ones += a;
  ones /= static_cast<double>(world.steps());
  const bool high = expected > 0.5;
  EXPECT_NEAR(expected, high ? 0.85 : 0.15, 1e-12);
  EXPECT_NEAR(observed, high ? ones : 1.0 - ones, 1e-9);
}

TEST(ProbabilityChecks, TargetTimesSevenTenths) {
  const testing::SmallWorld world = small_world(800, Seed{1});
  std::vector<double> target = world.logged(world.target);
  for (double& p : target) p *= 0.7;
  const auto found = checked(world.dataset(world.logged(world.behavior), target));
  ASSERT_EQ(codes(found), "critical:ratio_mean");
  EXPECT_EQ(word(found[0], "mistake"), "target_sum");
  EXPECT_NEAR(number(found[0], "mean"), 0.7, 0.05);
}

// The behavior policy never takes action 0 where x > 0, the target policy does: the mean ratio is below 1, but the logs
// are what they are.
TEST(ProbabilityChecks, MissingSupportIsNoCertainty) {
  testing::SmallWorld world = small_world(800, Seed{1});
  for (std::size_t i = 0; i < world.x.size(); ++i) {
    if (world.x[i] <= 0.0) continue;
    world.behavior[i] = 1.0;
    world.action[i] = 1;
    world.target[i] = 0.3;
  }
  const auto found = checked(world.dataset());
  ASSERT_EQ(codes(found), "warning:ratio_mean");
  EXPECT_EQ(word(found[0], "sure"), "no");
}

TEST(ProbabilityChecks, RewardsThatKnowTheNextAction) {
  testing::SmallWorld world = small_world(600, Seed{1});
  for (std::size_t i = 0; i < world.reward.size(); ++i) world.reward[i] = world.action[i];
  EXPECT_EQ(codes(checked(world.dataset())), "");
  world.reward = testing::moved(world, world.reward, -1);
  EXPECT_EQ(codes(checked(world.dataset())), "critical:rewards_early");
  world.distributions = true;
  EXPECT_EQ(codes(checked(world.dataset())), "critical:rewards_early");
}

TEST(ProbabilityChecks, EqualPoliciesAndRounding) {
  const testing::SmallWorld world = small_world(30, Seed{1});
  std::vector<double> ones(world.steps(), 1.0);
  ones[3] = 1.0000001;
  const auto found = checked(world.dataset(world.logged(world.behavior), ones));
  ASSERT_NE(find(found, "rounded_probabilities"), nullptr);
  EXPECT_EQ(number(*find(found, "rounded_probabilities"), "probabilities"), 1.0);
  EXPECT_EQ(codes(checked(world.dataset(world.logged(world.behavior), world.logged(world.behavior)))),
            "info:same_policy");
}

// Copies make chance larger than the number of episodes says.
TEST(ProbabilityChecks, CopiesLowerTheEvidence) {
  const testing::SmallWorld world = small_world(800, Seed{1});
  std::vector<double> target = world.logged(world.target);
  for (double& p : target) p *= 0.7;
  const Dataset data = world.dataset(world.logged(world.behavior), target);
  EXPECT_NE(find(checked(data), "ratio_mean"), nullptr);
  EXPECT_EQ(find(checked(data, 10.0), "ratio_mean"), nullptr);
}

}  // namespace
}  // namespace starope
