#include "starope/domains/hidden_problems.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/rng/random.hpp"

namespace starope::domains {
namespace {

Random random() {
  return Random(Seed{2}, Stream::test_data, 0);
}

TEST(HiddenMode, PaysForTheRightGuessAndUpsetsTheModeByAWrongOne) {
  Random r = random();
  int flips[2] = {0, 0};
  for (int i = 0; i < 4000; ++i) {
    HiddenMode::State right{.mode = true}, wrong{.mode = true};
    EXPECT_EQ(HiddenMode{}.step(right, 1, r).reward, 1.0);
    EXPECT_EQ(HiddenMode{}.step(wrong, 0, r).reward, -1.0);
    flips[0] += right.mode ? 0 : 1;
    flips[1] += wrong.mode ? 0 : 1;
  }
  EXPECT_NEAR(flips[0] / 4000.0, 0.05, 0.02);
  EXPECT_NEAR(flips[1] / 4000.0, 0.3, 0.04);
  std::array<double, 2> p{};
  HintPolicy{.sharpness = 2.0}({.mode = false, .hint = 0.5}, p);
  EXPECT_NEAR(p[1], 1.0 / (1.0 + std::exp(-1.0)), 1e-12);
}

TEST(NoisyRepair, BreaksWhenWornOutAndIsNewAfterwards) {
  Random r = random();
  int broken = 0;
  for (int i = 0; i < 1000; ++i) {
    NoisyRepair::State worn{.wear = 4};
    const double reward = NoisyRepair{}.step(worn, 0, r).reward;
    broken += reward == -9.0 ? 1 : 0;
    EXPECT_EQ(worn.wear, reward == -9.0 ? 0 : 4);
    NoisyRepair::State repaired{.wear = 4};
    EXPECT_EQ(NoisyRepair{}.step(repaired, 1, r).reward, -1.0);
    EXPECT_EQ(repaired.wear, 0);
  }
  EXPECT_NEAR(broken / 1000.0, 0.4, 0.08);
  std::array<double, 2> p{};
  RepairPolicy{.limit = 2.5, .noise = 0.2}({.wear = 0, .sensor = 3.0}, p);
  EXPECT_NEAR(p[1], 0.8 * 0.95 + 0.1, 1e-12);
}

TEST(Inventory, SellsWhatItHas) {
  Random r = random();
  for (int i = 0; i < 500; ++i) {
    Inventory::State state{.stock = 2.0};
    const double reward = Inventory{}.step(state, 0, r).reward;
    // Demand is at least 3: all is sold, and what is missing costs.
    EXPECT_EQ(state.stock, 0.0);
    EXPECT_LE(reward, 2.0 * 2.0 - 1.0);
  }
  std::array<double, 4> p{};
  OrderPolicy{.target = 20.0, .noise = 0.4}({.stock = 11.0}, p);
  EXPECT_NEAR(p[2], 0.7, 1e-12);
  EXPECT_NEAR(p[0], 0.1, 1e-12);
}

TEST(Queue, StaysWithinItsSymbols) {
  Random r = random();
  Queue::State state{.length = 20, .busy = true};
  for (int i = 0; i < 2000; ++i) {
    const std::int32_t before = state.length;
    const double reward = Queue{}.step(state, i % 2, r).reward;
    EXPECT_DOUBLE_EQ(reward, -(0.2 * before + (i % 2 == 1 ? 1.0 : 0.2)));
    EXPECT_LE(std::abs(state.length - before), 1);
    EXPECT_GE(Queue{}.symbol(state), 0);
    EXPECT_LT(Queue{}.symbol(state), Queue{}.symbols());
  }
}

}  // namespace
}  // namespace starope::domains
