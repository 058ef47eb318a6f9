#include "starope/domains/aside_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "starope/rng/random.hpp"

namespace starope::domains {
namespace {

constexpr double pi = std::numbers::pi;

Random random() {
  return Random(Seed{3}, Stream::test_data, 0);
}

template <class World>
std::vector<double> seen(const typename World::State& state) {
  std::vector<double> features(World{}.feature_names().size());
  World{}.observe(state, features);
  return features;
}

template <class Policy, class State>
std::array<double, 3> probabilities(const Policy& policy, const State& state) {
  std::array<double, 3> p{};
  policy(state, p);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
  return p;
}

// The same policy with sharpness 0 must be uniform, whatever the state.
template <class Policy, class State>
void expect_uniform(const State& state) {
  for (const double p : probabilities(Policy{.sharpness = 0.0}, state)) EXPECT_NEAR(p, 1.0 / 3.0, 1e-12);
}

// ---- reservoir -----------------------------------------------------------------------------------------------------

TEST(Reservoir, DeliversUpToTheDemandAndKeepsTheRest) {
  Random r = random(), same = random();
  Reservoir::State wet{.level = 20.0, .season = 0.5 * pi};
  // Of the 8 released, the demand of a wet week (3) pays. The inflow is 7 on average.
  EXPECT_DOUBLE_EQ(Reservoir{}.step(wet, 2, r).reward, 3.0);
  EXPECT_NEAR(wet.level, 12.0 + 7.0 * std::exp(0.4 * same.normal() - 0.08), 1e-12);
  EXPECT_NEAR(wet.season, 0.5 * pi + 2.0 * pi / 52.0, 1e-12);

  Reservoir::State dry{.level = 20.0, .season = 1.5 * pi};
  EXPECT_DOUBLE_EQ(Reservoir{}.step(dry, 2, r).reward, 7.0);
  EXPECT_NEAR(dry.level, 12.0 + std::exp(0.4 * same.normal() - 0.08), 1e-12);
}

TEST(Reservoir, PaysForFloodsAndForAnEmptyLake) {
  Random r = random(), same = random();
  for (int i = 0; i < 200; ++i) {
    Reservoir::State high{.level = 49.0, .season = 0.0};
    const double inflow = 4.0 * std::exp(0.4 * same.normal() - 0.08);
    EXPECT_NEAR(Reservoir{}.step(high, 0, r).reward, -2.0 * std::max(0.0, inflow - 1.0), 1e-12);
    EXPECT_LE(high.level, 50.0);
  }
  // Only the 3 that are there can be released, and what flows in does not fill it to 10.
  Reservoir::State empty{.level = 3.0, .season = 1.5 * pi};
  EXPECT_DOUBLE_EQ(Reservoir{}.step(empty, 1, r).reward, 3.0 - 2.0);
}

// Of the factor exp(0.4 z - 0.08) the mean is 1: in a year as much flows in as the seasons say.
TEST(Reservoir, ReceivesTheMeanInflow) {
  Random r = random();
  double sum = 0.0;
  for (int i = 0; i < 20'000; ++i) {
    Reservoir::State state{.level = 20.0, .season = 0.0};
    Reservoir{}.step(state, 0, r);
    sum += state.level - 20.0;
  }
  EXPECT_NEAR(sum / 20'000.0, 4.0, 5.0 * 4.0 * 0.417 / std::sqrt(20'000.0));
}

TEST(Reservoir, ShowsEverything) {
  const std::vector<double> features = seen<Reservoir>({.level = 33.0, .season = pi / 3.0});
  EXPECT_NEAR(features[0], 33.0, 1e-12);
  EXPECT_NEAR(features[1], 0.5, 1e-12);
  EXPECT_NEAR(features[2], std::sqrt(0.75), 1e-12);
}

TEST(ReleasePolicy, PrefersWhatTheLevelAsksFor) {
  // At a level of 30 it wants 4, at 40 it wants 6, above 50 no more than 8.
  const auto middle = probabilities(ReleasePolicy{.sharpness = 1.2}, Reservoir::State{.level = 30.0});
  EXPECT_NEAR(middle[1] / middle[0], std::exp(1.2), 1e-12);
  EXPECT_NEAR(middle[2], middle[0], 1e-12);
  const auto more = probabilities(ReleasePolicy{.sharpness = 1.2}, Reservoir::State{.level = 40.0});
  EXPECT_NEAR(more[1], more[2], 1e-12);
  EXPECT_NEAR(more[2] / more[0], std::exp(1.2 * (6.0 - 2.0) / 4.0), 1e-12);
  const auto most = probabilities(ReleasePolicy{.sharpness = 1.0}, Reservoir::State{.level = 60.0});
  EXPECT_NEAR(most[2] / most[0], std::exp(2.0), 1e-12);
  expect_uniform<ReleasePolicy>(Reservoir::State{.level = 12.0});
}

// ---- glucose -------------------------------------------------------------------------------------------------------

TEST(Glucose, FallsByTheDrugOnBoardButNotYetByThisDose) {
  Random r = random(), same = random();
  int meals = 0;
  for (int i = 0; i < 2000; ++i) {
    Glucose::State state{.glucose = 8.0, .board = 2.0};
    const double reward = Glucose{}.step(state, i % 3, r).reward;
    // Drift 0.1 (9 - 8) and effect 0.3 * 2, whatever the dose; a meal comes on top.
    const bool eats = same.uniform() < 0.2;
    meals += eats ? 1 : 0;
    const double meal = eats ? same.uniform(1.0, 5.0) : 0.0;
    const double expected = 8.0 + 0.1 - 0.6 + meal + 0.3 * same.normal();
    EXPECT_NEAR(state.glucose, expected, 1e-12);
    EXPECT_NEAR(state.reading, expected + same.normal(), 1e-12);
    EXPECT_NEAR(state.board, 1.5 + i % 3, 1e-12);
    EXPECT_EQ(reward, expected >= 4.0 && expected <= 9.0 ? 1.0 : 0.0);
  }
  EXPECT_NEAR(meals / 2000.0, 0.2, 0.05);
}

TEST(Glucose, PaysNothingBelowTheRangeAndStaysAboveTwo) {
  Random r = random();
  for (int i = 0; i < 100; ++i) {
    Glucose::State low{.glucose = 2.5, .board = 12.0};
    Glucose{}.step(low, 0, r);
    EXPECT_GE(low.glucose, 2.0);
    Glucose::State lower{.glucose = 2.0, .board = 30.0};
    EXPECT_EQ(Glucose{}.step(lower, 0, r).reward, 0.0);
    EXPECT_EQ(lower.glucose, 2.0);
  }
}

TEST(Glucose, ShowsTheReadingNotTheGlucose) {
  EXPECT_EQ(seen<Glucose>({.glucose = 8.0, .board = 1.5, .reading = 9.25}), (std::vector<double>{9.25, 1.5}));
}

TEST(DosePolicy, GivesByTheReadingAndTheBoard) {
  // Need (8.5 - 7) / 3 - 1 / 4 = 0.25; it does not go beyond -1 and 1, and does not know the glucose.
  const auto p =
      probabilities(DosePolicy{.sharpness = 2.0}, Glucose::State{.glucose = 3.0, .board = 1.0, .reading = 8.5});
  EXPECT_NEAR(p[1] / p[0], std::exp(0.5), 1e-12);
  EXPECT_NEAR(p[2] / p[0], std::exp(1.0), 1e-12);
  const auto high = probabilities(DosePolicy{.sharpness = 1.0}, Glucose::State{.reading = 20.0});
  EXPECT_NEAR(high[2] / high[0], std::exp(2.0), 1e-12);
  const auto low = probabilities(DosePolicy{.sharpness = 1.0}, Glucose::State{.board = 9.0, .reading = 7.0});
  EXPECT_NEAR(low[0] / low[1], std::exp(1.0), 1e-12);
  expect_uniform<DosePolicy>(Glucose::State{.reading = 11.0});
}

// ---- two wells -----------------------------------------------------------------------------------------------------

TEST(TwoWells, FollowsTheSlopeTheFrictionAndThePush) {
  Random r = random(), same = random();
  TwoWells::State state{.position = 0.5, .speed = -1.0};
  const Transition step = TwoWells{}.step(state, 2, r);
  // Force 0.5 (1 - 0.25) + 0.5 + 0.5 for a fifth of a time unit, noise 0.25 times the root of that time.
  const double speed = -1.0 + 0.2 * 1.375 + 0.25 * std::sqrt(0.2) * same.normal();
  EXPECT_NEAR(state.speed, speed, 1e-12);
  EXPECT_NEAR(state.position, 0.5 + 0.2 * speed, 1e-12);
  EXPECT_EQ(step.reward, 1.0);
  EXPECT_FALSE(step.terminated);
  EXPECT_EQ(seen<TwoWells>({.position = -0.5, .speed = 2.0}), (std::vector<double>{-0.5, 2.0}));
}

TEST(TwoWells, EarnsInTheRightWellOnlyAndRarelyLeavesTheLeftOne) {
  Random r = random();
  int crossings = 0;
  for (int i = 0; i < 500; ++i) {
    TwoWells::State state = TwoWells{}.reset(r);
    EXPECT_LT(state.position, 0.0);
    bool right = false;
    for (int t = 0; t < 60; ++t) {
      const double reward = TwoWells{}.step(state, 1, r).reward;
      EXPECT_EQ(reward, state.position > 0.0 ? 1.0 : 0.0);
      right = right || reward == 1.0;
    }
    crossings += right ? 1 : 0;
  }
  EXPECT_GT(crossings, 0);
  EXPECT_LT(crossings, 100);
}

TEST(WellPolicy, PushesTowardsTheBottomOfTheRightWell) {
  const auto left = probabilities(WellPolicy{.sharpness = 0.6}, TwoWells::State{.position = -1.0});
  EXPECT_NEAR(left[2] / left[0], std::exp(1.2), 1e-12);
  const auto beyond = probabilities(WellPolicy{.sharpness = 0.6}, TwoWells::State{.position = 1.5});
  EXPECT_NEAR(beyond[0] / beyond[1], std::exp(0.3), 1e-12);
  const auto bottom = probabilities(WellPolicy{.sharpness = 5.0}, TwoWells::State{.position = 1.0, .speed = 3.0});
  EXPECT_NEAR(bottom[2], 1.0 / 3.0, 1e-12);
  expect_uniform<WellPolicy>(TwoWells::State{.position = -1.0});
}

}  // namespace
}  // namespace starope::domains
