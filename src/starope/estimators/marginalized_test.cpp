#include "starope/estimators/marginalized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/quarter_world.hpp"
#include "starope/estimators/star.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

const EstimateOptions one_thread{.threads = Threads{1}};

// Episode A: ratios 2, 1/2, rewards 1, 3. Episode B: ratio 1, reward 2.
Problem two(bool equal_lengths) {
  testing::LogVectors c;
  const auto step = [&](double ratio, double reward) {
    c.rewards.push_back(reward);
    c.behavior.push_back(0.25);
    c.target.push_back(0.25 * ratio);
  };
  step(2.0, 1.0);
  step(0.5, 3.0);
  c.end_episode();
  step(1.0, 2.0);
  if (equal_lengths) step(3.0, 4.0);
  c.end_episode();
  return make_problem(std::move(c).dataset());
}

const Detail& detail(const Estimate& estimate, const std::string& name) {
  return *std::find_if(estimate.details.begin(), estimate.details.end(),
                       [&](const Detail& each) { return each.name == name; });
}

TEST(Marginalized, HandComputedWithOneCell) {
  // Three visits, one move of weight 2: P = 2/3. Weighted rewards 2 + 1.5 + 2 = 5.5: R = 5.5/3. R / (1 - P) = 5.5.
  const Marginalized one{.star = {.phi = One{}}};
  EXPECT_NEAR(estimate(one, two(false), one_thread).value, 5.5, 1e-12);
}

TEST(Marginalized, HandComputedByTime) {
  // Step 0: mean of rho 1.5, of rho r (2 + 2) / 2. Step 1: mean of rho r (1.5 + 12) / 2, reached with 1.5.
  const Marginalized indexed{.star = {.phi = One{}, .time = TimeModel::indexed}};
  EXPECT_NEAR(estimate(indexed, two(true), one_thread).value, 2.0 + 1.5 * 6.75, 1e-12);
}

// With ratios of one the sums of weights are the numbers of visits: nothing is left of the difference to star.
TEST(Marginalized, IsStarOnTheLoggedPolicy) {
  for (const double gamma : {1.0, 0.9}) {
    const Problem problem =
        testing::random_problem({.episodes = 40, .discrete_states = 4, .on_policy = true, .final_states = 0.5}, Seed{3},
                                {.discount = Discount{gamma}});
    for (const TimeModel time : {TimeModel::pooled, TimeModel::indexed}) {
      const Star star{.phi = Identity{}, .clip = Clip::last(1), .time = time};
      const Estimate plain = estimate(star, problem, one_thread),
                     mis = estimate(Marginalized{.star = star}, problem, one_thread);
      EXPECT_NEAR(mis.value, plain.value, 1e-9);
      EXPECT_NEAR(*mis.std_error, *plain.std_error, 1e-9);
    }
    const Star censored{.phi = Identity{}, .truncation = TruncationRule::censor, .horizon = std::optional(Horizon{7})};
    EXPECT_NEAR(estimate(Marginalized{.star = censored}, problem, one_thread).value,
                estimate(censored, problem, one_thread).value, 1e-9);
  }
}

// One more copy of an episode among very many: the finite difference that the influence values are the limit of.
TEST(Marginalized, InfluenceIsTheDerivative) {
  const Problem problem = testing::random_problem({.episodes = 12, .longest = 5, .discrete_states = 3}, Seed{4},
                                                  {.discount = Discount{0.8}});
  constexpr std::int64_t copies = 2000;
  const Star censored{.phi = Identity{}, .truncation = TruncationRule::censor, .horizon = std::optional(Horizon{4})};
  for (const Star& star : {Star{.phi = Identity{}}, Star{.phi = Identity{}, .time = TimeModel::indexed}, censored}) {
    const Marginalized mis{.star = star};
    const Estimate whole = estimate(mis, problem, one_thread);
    double sum = 0.0;
    for (const double x : whole.influence) sum += x;
    EXPECT_NEAR(sum, 0.0, 1e-9);
    for (const std::int64_t extra : {0, 5, 11}) {
      std::vector<std::int64_t> chosen;
      for (std::int64_t i = 0; i < problem.episodes(); ++i) chosen.insert(chosen.end(), copies, i);
      chosen.push_back(extra);
      const double moved = estimate(mis, problem.take(chosen), one_thread).value;
      const double slope = (moved - whole.value) * static_cast<double>(copies) * 12.0;
      EXPECT_NEAR(slope, whole.influence[extra], 0.01 * (1.0 + std::abs(slope)));
    }
  }
}

// Logs that are the exact distribution of the behavior policy: the occupancies of the target policy come out exactly,
// although no single one of its frequencies is in the logs.
TEST(Marginalized, FindsTheExactOccupancies) {
  for (const double gamma : {1.0, 0.9}) {
    const testing::QuarterWorld world{.steps = 3, .gamma = gamma};
    const Problem logs = world.logs();
    const Star censored{.phi = Identity{}, .truncation = TruncationRule::censor};
    const Estimate pooled = estimate(Marginalized{.star = censored}, logs, one_thread);
    EXPECT_NEAR(pooled.value, world.value(3), 1e-10);
    const auto& visits = std::get<std::vector<double>>(detail(pooled, "occupancy").value);
    ASSERT_EQ(visits.size(), 2U);
    EXPECT_NEAR(visits[0], world.occupancy(3)[0], 1e-10);
    EXPECT_NEAR(visits[1], world.occupancy(3)[1], 1e-10);
    const Star indexed{.phi = Identity{}, .time = TimeModel::indexed};
    EXPECT_NEAR(estimate(Marginalized{.star = indexed}, logs, one_thread).value, world.value(3), 1e-10);
    const Marginalized both{.star = indexed, .q = QRecipe{.method = QMethod::mb}};
    EXPECT_NEAR(estimate(both, logs.with_horizon(Horizon{3}), one_thread).value, world.value(3), 1e-9);
    // One cell for both states is too coarse, and its answer another one.
    const Star one{.phi = One{}, .truncation = TruncationRule::censor};
    EXPECT_GT(std::abs(estimate(Marginalized{.star = one}, logs, one_thread).value - world.value(3)), 0.01);
  }
}

TEST(Marginalized, OnPolicyTheValueIsTheMeanReturn) {
  const Problem problem =
      testing::random_problem({.episodes = 30, .discrete_states = 4, .on_policy = true}, Seed{8}, {});
  double mean = 0.0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    for (const double r : problem.episode(i).rewards) mean += r / 30.0;
  }
  for (const AbstractionRecipe& phi : {AbstractionRecipe{Identity{}}, AbstractionRecipe{One{}}})
    EXPECT_NEAR(estimate(Marginalized{.star = {.phi = phi}}, problem, one_thread).value, mean, 1e-9);
}

// Scaling the rewards scales the value; adding the logs to themselves changes nothing but the standard error.
TEST(Marginalized, DependsOnTheLogsAsItShould) {
  const Problem problem = testing::random_problem({.episodes = 20, .discrete_states = 3}, Seed{9}, {});
  const Marginalized mis{.star = {.phi = Identity{}, .horizon = std::optional(Horizon{6})}};
  const Estimate once = estimate(mis, problem, one_thread);
  std::vector<std::int64_t> twice;
  for (int k = 0; k < 2; ++k) {
    for (std::int64_t i = 0; i < 20; ++i) twice.push_back(i);
  }
  EXPECT_NEAR(estimate(mis, problem.take(twice), one_thread).value, once.value, 1e-10 * (1.0 + std::abs(once.value)));
  EXPECT_EQ(estimate(mis, problem, {.threads = Threads{3}}).value, once.value);
}

TEST(Marginalized, SaysWhereTheTargetPolicyGoesWithoutLogs) {
  testing::LogVectors c;
  std::vector<std::int64_t> states;
  for (int i = 0; i < 12; ++i) {
    for (int t = 0; t < 2; ++t) {
      states.push_back(t);
      c.rewards.push_back(1.0);
      c.behavior.push_back(0.5);
      c.target.push_back(t == 0 ? 0.5 : 0.0);
    }
    c.end_episode();
  }
  c.states = make_discrete_states(states);
  const Estimate found =
      estimate(Marginalized{.star = {.phi = Identity{}}}, make_problem(std::move(c).dataset()), one_thread);
  EXPECT_NEAR(found.value, 1.0, 1e-12);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().code, "unsupported_state");
  EXPECT_EQ(found.findings.front().severity, Severity::critical);
}

TEST(Marginalized, DoublyRobustStaysRightWhereTheCellsAreWrong) {
  const testing::TabularLogsOptions options{.episodes = 3000, .states = 4, .longest = 200};
  const Problem problem = testing::tabular_problem(options, Seed{5});
  const Estimate fine = estimate(Marginalized{.star = {.phi = Identity{}}}, problem, one_thread);
  const Estimate model = estimate(DirectMethod{.q = QRecipe{.method = QMethod::mb}}, problem, one_thread);
  const Estimate coarse =
      estimate(Marginalized{.star = {.phi = One{}}, .q = QRecipe{.method = QMethod::mb}}, problem, one_thread);
  // A model of ids is right, so its residuals have mean zero under any weights.
  EXPECT_NEAR(coarse.value, model.value, 4.0 * *coarse.std_error + 1e-9);
  EXPECT_NEAR(fine.value, model.value, 5.0 * std::hypot(*fine.std_error, *model.std_error));
  EXPECT_GT(*coarse.std_error, 0.0);
}

TEST(Marginalized, MovesThatGrowHaveNoValueWithoutAHorizon) {
  testing::LogVectors c;
  for (int i = 0; i < 5; ++i) {
    for (int t = 0; t < 4; ++t) {
      c.rewards.push_back(1.0);
      c.behavior.push_back(0.25);
      c.target.push_back(t < 3 ? 1.0 : 0.25);
    }
    c.end_episode();
  }
  const Problem problem = make_problem(std::move(c).dataset());
  EXPECT_THROW(estimate(Marginalized{.star = {.phi = One{}}}, problem, one_thread), DegenerateModel);
  EXPECT_GT(
      estimate(Marginalized{.star = {.phi = One{}, .horizon = std::optional(Horizon{4})}}, problem, one_thread).value,
      0.0);
}

}  // namespace
}  // namespace starope
