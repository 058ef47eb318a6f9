#include "starope/checks/history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "starope/data/log_vectors.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// A point with position and velocity, pushed to either side by the action; the reward is its position.
Dataset pushed(bool with_velocity, double noise) {
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<double> states;
  for (std::uint64_t e = 0; e < 60; ++e) {
    Random random(Seed{4}, Stream::test_data, e);
    double x = random.normal(), v = random.normal();
    for (int t = 0; t < 20; ++t) {
      const int a = random.uniform() < 0.5 ? 0 : 1;
      states.push_back(x);
      if (with_velocity) states.push_back(v);
      c.actions.push_back(a);
      c.rewards.push_back(x);
      c.behavior.push_back(0.5);
      c.target.push_back(0.5);
      x += 0.3 * v + noise * random.normal();
      v += 0.2 * (2 * a - 1) - 0.3 * std::sin(x) + noise * random.normal();
    }
    c.end_episode();
  }
  c.states = DenseStates{.dimension = with_velocity ? 2 : 1, .values = std::move(states)};
  return std::move(c).dataset();
}

TEST(History, TheRowBeforeTellsAVelocityThatIsMissing) {
  const auto found = history_gain(pushed(false, 0.02));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->matters);
  EXPECT_EQ(found->of, "state_0");
  EXPECT_GT(found->gain, 0.5);
  EXPECT_GT(found->errors, 5.0);
}

TEST(History, WithTheVelocityThereIsNothingToGain) {
  for (const double noise : {0.0, 0.02, 0.3}) {
    const auto found = history_gain(pushed(true, noise));
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->matters) << noise;
    EXPECT_LT(found->gain, 0.1) << noise;
  }
}

// Five states in a ring. `memory`: whether the next one depends on where the step before was.
Dataset ring(bool memory) {
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<std::int64_t> states;
  for (std::uint64_t e = 0; e < 80; ++e) {
    Random random(Seed{5}, Stream::test_data, e);
    std::int64_t before = 0, s = static_cast<std::int64_t>(random.below(5));
    for (int t = 0; t < 25; ++t) {
      const int a = random.uniform() < 0.5 ? 0 : 1;
      states.push_back(s);
      c.actions.push_back(a);
      c.rewards.push_back(random.normal());
      c.behavior.push_back(0.5);
      c.target.push_back(0.5);
      const bool on = random.uniform() < 0.8;
      const std::int64_t direction = memory ? (s == (before + 1) % 5 ? 1 : 4) : (a == 1 ? 1 : 4);
      before = std::exchange(s, (s + (on ? direction : 5 - direction)) % 5);
    }
    c.end_episode();
  }
  c.states = make_discrete_states(states);
  return std::move(c).dataset();
}

TEST(History, IdsThatRememberAreFoundAndOthersAreNot) {
  const auto remembers = history_gain(ring(true));
  ASSERT_TRUE(remembers);
  EXPECT_TRUE(remembers->matters);
  EXPECT_EQ(remembers->of, "state");
  const auto forgets = history_gain(ring(false));
  ASSERT_TRUE(forgets);
  EXPECT_FALSE(forgets->matters);
  EXPECT_LT(forgets->gain, 0.02);
}

TEST(History, FewStepsAreNotAsked) {
  testing::LogVectors c;
  std::vector<std::int64_t> states;
  for (int e = 0; e < 30; ++e) {
    for (int t = 0; t < 3; ++t) {
      states.push_back(t);
      c.rewards.push_back(t);
      c.behavior.push_back(0.5);
      c.target.push_back(0.5);
    }
    c.end_episode();
  }
  c.states = make_discrete_states(states);
  EXPECT_FALSE(history_gain(std::move(c).dataset()));
}

}  // namespace
}  // namespace starope
