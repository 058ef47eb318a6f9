#include "starope/estimators/dice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/quarter_world.hpp"
#include "starope/q/testing.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

const EstimateOptions one_thread{.threads = Threads{1}};

// One state for ever; action 1 earns 1. The target takes it with 0.8: 0.8 / (1 - g).
Problem for_ever(double gamma) {
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<std::int64_t> states;
  for (int i = 0; i < 10; ++i) {
    for (int t = 0; t < 6; ++t) {
      const std::int32_t a = (i + t) % 2;
      states.push_back(7);
      c.actions.push_back(a);
      c.rewards.push_back(a);
      c.behavior.push_back(0.5);
      c.target.push_back(a == 1 ? 0.8 : 0.2);
      c.target_distribution.insert(c.target_distribution.end(), {0.2, 0.8});
    }
    c.end_episode(EpisodeEnd::truncated);
    c.has_final_state.push_back(1);
  }
  states.insert(states.end(), 10, 7);
  c.states = make_discrete_states(states);
  return make_problem(std::move(c).dataset(), {.discount = Discount{gamma}});
}

TEST(Dice, CountsWhatGoesOnForEver) {
  for (const double gamma : {0.5, 0.9, 0.99}) {
    const Estimate found = estimate(Dice{}, for_ever(gamma), one_thread);
    EXPECT_NEAR(found.value, 0.8 / (1.0 - gamma), 1e-5 / (1.0 - gamma));
    EXPECT_NEAR(std::get<double>(found.details[0].value), 1.0 / (1.0 - gamma), 1e-5 / (1.0 - gamma));
  }
}

// With a feature per pair the flow is that of the model of maximum likelihood.
TEST(Dice, OfPairsIsTheModel) {
  const Problem problem = testing::tabular_problem({.episodes = 400, .states = 4, .longest = 200}, Seed{5})
                              .with({.discount = Discount{0.8}});
  const Estimate dice = estimate(Dice{}, problem, one_thread);
  const Estimate model = estimate(DirectMethod{.q = QRecipe{.method = QMethod::mb}}, problem, one_thread);
  EXPECT_NEAR(dice.value, model.value, 1e-5 * (1.0 + std::abs(model.value)));
  EXPECT_NEAR(*dice.std_error, *model.std_error, 1e-3 * *model.std_error);
}

// Logs of three steps that are the exact distribution of the behavior policy: what goes on for ever is in them.
TEST(Dice, FindsTheExactValue) {
  for (const double gamma : {0.5, 0.95}) {
    const testing::QuarterWorld world{.steps = 3, .gamma = gamma};
    const Estimate found = estimate(Dice{}, world.logs(), one_thread);
    EXPECT_NEAR(found.value, world.value(3000), 1e-5);
    EXPECT_NEAR(std::get<double>(found.details[0].value), 1.0 / (1.0 - gamma), 1e-5 / (1.0 - gamma));
    EXPECT_NEAR(std::get<double>(found.details[1].value), 0.0, 1e-9);
  }
}

// Influence values: what one more copy of an episode among very many changes.
TEST(Dice, InfluenceIsTheDerivative) {
  const Problem problem = testing::tabular_problem({.episodes = 12, .states = 2, .actions = 2, .longest = 20}, Seed{6})
                              .with({.discount = Discount{0.8}});
  constexpr std::int64_t copies = 500;
  const Estimate whole = estimate(Dice{}, problem, one_thread);
  for (const std::int64_t extra : {0, 7}) {
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < problem.episodes(); ++i) chosen.insert(chosen.end(), copies, i);
    chosen.push_back(extra);
    const double moved = estimate(Dice{}, problem.take(chosen), one_thread).value;
    const double slope = (moved - whole.value) * static_cast<double>(copies) * 12.0;
    EXPECT_NEAR(slope, whole.influence[extra], 0.02 * (1.0 + std::abs(slope)));
  }
}

// Action 0 alone was logged, and the target policy takes it with 0.2: the rest of the flow ends at once, 0.8 of it in
// the first step and 0.8 of each that follows.
TEST(Dice, SaysWhatTheLogsDoNotShow) {
  testing::LogVectors c;
  c.action_count = 2;
  for (int i = 0; i < 10; ++i) {
    for (int t = 0; t < 6; ++t) {
      c.actions.push_back(0);
      c.rewards.push_back(1.0);
      c.behavior.push_back(1.0);
      c.target.push_back(0.2);
      c.target_distribution.insert(c.target_distribution.end(), {0.2, 0.8});
    }
    c.end_episode(EpisodeEnd::truncated);
    c.has_final_state.push_back(1);
  }
  c.states = make_discrete_states(std::vector<std::int64_t>(70, 7));
  const double gamma = 0.5;
  const Estimate found =
      estimate(Dice{}, make_problem(std::move(c).dataset(), {.discount = Discount{gamma}}), one_thread);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].code, "unseen_action");
  EXPECT_EQ(found.findings[0].severity, Severity::critical);
  EXPECT_NEAR(std::get<double>(found.findings[0].parameters.at(0).value), 0.8 / (1.0 - 0.2 * gamma), 1e-6);
  EXPECT_EQ(found.findings[0].parameters.at(1), (FindingParameter{"pairs", std::int64_t{1}}));
  EXPECT_TRUE(estimate(Dice{}, for_ever(0.5), one_thread).findings.empty());
}

TEST(Dice, NeedsADiscountAndNoHorizon) {
  EXPECT_THROW(estimate(Dice{}, for_ever(1.0), one_thread), InvalidArgument);
  EXPECT_THROW(estimate(Dice{}, for_ever(0.9).with_horizon(Horizon{5}), one_thread), InvalidArgument);
}

}  // namespace
}  // namespace starope
