#include "starope/domains/control_problems.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "starope/rng/random.hpp"

namespace starope::domains {
namespace {

Random random() {
  return Random(Seed{1}, Stream::test_data, 0);
}

TEST(Softmax, IsProportionalToExponentials) {
  std::array<double, 3> p{};
  softmax(std::array<double, 3>{1000.0, 1000.0 + std::log(2.0), 1000.0 + std::log(5.0)}, p);
  EXPECT_NEAR(p[0], 0.125, 1e-12);
  EXPECT_NEAR(p[1], 0.25, 1e-12);
  EXPECT_NEAR(p[2], 0.625, 1e-12);
}

TEST(LinearQuadratic, CostsWhatItsStateAndPushCost) {
  LinearQuadratic::State state{.x = 2.0, .v = -1.0};
  Random r = random();
  EXPECT_DOUBLE_EQ(LinearQuadratic{}.step(state, 2, r).reward, -(4.0 + 0.5 + 0.1));
  // Means of the noise are zero: the state is near 2 - 0.2 and -0.95 + 0.4.
  EXPECT_NEAR(state.x, 1.8, 0.6);
  EXPECT_NEAR(state.v, -0.55, 0.6);
  std::array<double, 3> p{};
  LinearFeedback{.gain = 1.0}({.x = 1.0, .v = 0.0}, p);
  EXPECT_GT(p[0], p[1]);
  EXPECT_GT(p[1], p[2]);
  EXPECT_NEAR(p[0] / p[1], std::numbers::e, 1e-12);
}

TEST(Pendulum, RestsBelowAndFallsFromAbove) {
  Random r = random();
  Pendulum::State below{.angle = std::numbers::pi};
  EXPECT_NEAR(Pendulum{}.step(below, 1, r).reward, -1.0, 1e-9);
  EXPECT_NEAR(below.angle, std::numbers::pi, 1e-9);
  Pendulum::State above{.angle = 0.1};
  Pendulum{}.step(above, 1, r);
  EXPECT_GT(above.angle, 0.1);
}

TEST(MountainCar, EndsOnTheHillAndStopsAtTheWall) {
  Random r = random();
  MountainCar::State top{.position = 0.45, .speed = 0.06};
  EXPECT_TRUE(MountainCar{}.step(top, 2, r).terminated);
  MountainCar::State wall{.position = -1.19, .speed = -0.05};
  EXPECT_FALSE(MountainCar{}.step(wall, 0, r).terminated);
  EXPECT_DOUBLE_EQ(wall.position, -1.2);
  EXPECT_DOUBLE_EQ(wall.speed, 0.0);
}

TEST(Navigation, PassesOnlyThroughTheGap) {
  Random r = random();
  for (int i = 0; i < 50; ++i) {
    Navigation::State gap{.x = 0.45, .y = 0.675}, wall{.x = 0.45, .y = 0.2};
    EXPECT_EQ(Navigation{}.step(gap, 0, r).reward, -0.5);
    const Transition hit = Navigation{}.step(wall, 0, r);
    // Noise may keep it from the wall; through it never.
    EXPECT_LT(wall.x, 0.5);
    EXPECT_TRUE(hit.reward == -3.0 || hit.reward == -0.5);
  }
  Navigation::State goal{.x = 0.95, .y = 0.95};
  const Transition arrived = Navigation{}.step(goal, 0, r);
  EXPECT_TRUE(arrived.terminated);
  EXPECT_EQ(arrived.reward, 10.0);
}

TEST(RareReward, EarnsInTheDiscOnly) {
  Random r = random();
  RareReward::State far{};
  EXPECT_EQ(RareReward{}.step(far, 0, r).reward, 0.0);
  int inside = 0;
  for (int i = 0; i < 100; ++i) {
    RareReward::State near{.x = 2.2, .y = 1.5};
    inside += RareReward{}.step(near, 0, r).reward == 1.0 ? 1 : 0;
  }
  EXPECT_GT(inside, 95);
}

}  // namespace
}  // namespace starope::domains
