#include "starope/arp/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// From cell 0: stay with 1/2, to cell 1 with 1/4, exit 1/4. From cell 1: back to 0 with 1/2, exit 1/2.
ArpModel two_cells() {
  ArpModel m{.cells = 2,
             .episodes = 10,
             .start = {1.0, 0.0},
             .exit = {0.25, 0.5},
             .reward = {1.0, 3.0},
             .visit = {4, 2},
             .seen = {4, 2}};
  MoveCounts p(2);
  p.add(0, 0, 0.5);
  p.add(0, 1, 0.25);
  p.add(1, 0, 0.5);
  m.transition = p.rows();
  return m;
}

ArpModel random_model(std::int64_t cells, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 0);
  const auto n = static_cast<std::size_t>(cells);
  ArpModel m{.cells = cells,
             .episodes = 10,
             .start = std::vector<double>(n),
             .exit = std::vector<double>(n),
             .reward = std::vector<double>(n),
             .visit = std::vector<double>(n, 1.0),
             .seen = std::vector<double>(n, 1.0)};
  MoveCounts p(cells);
  double starts = 0.0;
  for (std::size_t z = 0; z < n; ++z) {
    starts += m.start[z] = random.uniform();
    m.reward[z] = random.normal();
    m.exit[z] = random.uniform(0.05, 0.3);
    std::vector<double> row(n);
    double sum = 0.0;
    for (double& x : row) sum += x = random.uniform();
    for (std::size_t j = 0; j < n; ++j)
      p.add(static_cast<Label>(z), static_cast<Label>(j), row[j] / sum * (1.0 - m.exit[z]));
  }
  for (double& x : m.start) x /= starts;
  m.transition = p.rows();
  return m;
}

TEST(Solve, HandComputedWithoutHorizon) {
  // V0 = 1 + V0/2 + V1/4,  V1 = 3 + V0/2   =>   3/8 V0 = 7/4   =>   V0 = 14/3, V1 = 16/3.
  const ArpSolution s = solve(two_cells(), Discount{1.0}, std::nullopt);
  EXPECT_NEAR(s.value, 14.0 / 3.0, 1e-14);
  EXPECT_NEAR(s.values[1], 16.0 / 3.0, 1e-14);
  // d0 = 1 + d0/2 + d1/2, d1 = d0/4  =>  d0 = 8/3, d1 = 2/3; d . R = 14/3 again.
  EXPECT_NEAR(s.visits[0], 8.0 / 3.0, 1e-14);
  EXPECT_NEAR(s.visits[1], 2.0 / 3.0, 1e-14);
  EXPECT_EQ(s.unsupported, 0.0);
}

TEST(Solve, HandComputedWithHorizonAndDiscount) {
  // V_2 = 0, V_1 = R = (1, 3), V_0 = R + g P V_1 = (1 + 0.5 (0.5 + 0.75), 3 + 0.5 * 0.5).
  const ArpSolution s = solve(two_cells(), Discount{0.5}, Horizon{2});
  EXPECT_NEAR(s.value, 1.625, 1e-15);
  EXPECT_NEAR(s.values[1], 3.25, 1e-15);
  EXPECT_NEAR(s.visits[0], 1.25, 1e-15);
  EXPECT_NEAR(s.visits[1], 0.125, 1e-15);
}

TEST(Solve, ValuesAndVisitsAgreeOnTheValue) {
  for (const double gamma : {1.0, 0.9, 0.0}) {
    for (const auto horizon : {std::optional<Horizon>{}, std::optional{Horizon{1}}, std::optional{Horizon{7}}}) {
      const ArpModel m = random_model(12, 3);
      const ArpSolution s = solve(m, Discount{gamma}, horizon);
      double by_visits = 0.0;
      for (std::size_t z = 0; z < 12; ++z) by_visits += s.visits[z] * m.reward[z];
      EXPECT_NEAR(by_visits, s.value, 1e-11);
    }
  }
}

TEST(Solve, ALongHorizonIsNoHorizon) {
  const ArpModel m = random_model(9, 4);
  EXPECT_NEAR(solve(m, Discount{1.0}, Horizon{2000}).value, solve(m, Discount{1.0}, std::nullopt).value, 1e-10);
}

TEST(Solve, AHorizonFarBeyondTheEndOfTheProcessCostsNoMore) {
  const ArpModel model = random_model(6, 3);
  const ArpSolution far = solve(model, Discount{0.98}, Horizon{1'000'000'000'000'000});
  const ArpSolution near = solve(model, Discount{0.98}, Horizon{20'000});
  EXPECT_NEAR(far.value, near.value, 1e-13);  // it stops where only rounding changes
  for (std::size_t z = 0; z < near.values.size(); ++z) EXPECT_NEAR(far.values[z], near.values[z], 1e-13);
  for (std::size_t e = 0; e < near.slope.size(); ++e) EXPECT_NEAR(far.slope[e], near.slope[e], 1e-13);
  // Where all steps are possible, those that are left out change nothing, to the last bit.
  const ArpSolution further = solve(model, Discount{0.98}, Horizon{40'000});
  EXPECT_EQ(further.value, near.value);
  EXPECT_EQ(further.slope, near.slope);
  EXPECT_NEAR(far.value, solve(model, Discount{0.98}, std::nullopt).value, 1e-12);
}

// One cell that never ends and always pays: 10^12 steps are worth 10^12, and nobody can wait for them.
TEST(Solve, AHorizonThatNeverSettlesIsRefusedWithItsCost) {
  ArpModel m{.cells = 1, .episodes = 1, .start = {1.0}, .exit = {0.0}, .reward = {1.0}, .visit = {1}, .seen = {1}};
  MoveCounts p(1);
  p.add(0, 0, 1.0);
  m.transition = p.rows();
  EXPECT_EQ(solve(m, Discount{1.0}, Horizon{1000}).value, 1000.0);
  try {
    solve(m, Discount{1.0}, Horizon{100'000'000'000'000});
    ADD_FAILURE();
  } catch (const TooMuchWork& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("a horizon of 100,000,000,000,000 steps over 1 cell would take about"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Give a smaller horizon"));
  }
  m.reward = {0.0};  // settles, but the visits go on
  EXPECT_THROW(solve(m, Discount{1.0}, Horizon{100'000'000'000'000}), TooMuchWork);
}

TEST(Solve, SlopesAreTheDerivativesOfTheValueInP) {
  for (const auto horizon : {std::optional<Horizon>{}, std::optional{Horizon{5}}}) {
    ArpModel m = random_model(6, 5);
    const ArpSolution s = solve(m, Discount{0.9}, horizon);
    for (std::size_t e = 0; e < m.transition.value.size(); e += 5) {
      const double h = 1e-6, p = m.transition.value[e];
      const auto row =
          std::upper_bound(m.transition.offsets.begin(), m.transition.offsets.end(), static_cast<std::int64_t>(e)) -
          m.transition.offsets.begin() - 1;
      const auto value_at = [&](double change) {
        ArpModel other = m;
        other.transition.value[e] = p + change;
        other.exit[row] -= change;  // rows stay complete
        return solve(other, Discount{0.9}, horizon).value;
      };
      EXPECT_NEAR((value_at(h) - value_at(-h)) / (2 * h), s.slope[e], 1e-7);
    }
  }
}

TEST(Solve, UnsupportedCellsCountAsZeroAndAreReported) {
  ArpModel m = two_cells();
  m.seen[1] = m.visit[1] = 0.0;  // entered, but nothing is known about it
  m.reward[1] = 0.0;
  MoveCounts p(2);
  p.add(0, 0, 0.5);
  p.add(0, 1, 0.25);
  m.transition = p.rows();
  const ArpSolution s = solve(m, Discount{1.0}, std::nullopt);
  EXPECT_NEAR(s.value, 2.0, 1e-14);
  EXPECT_NEAR(s.unsupported, 0.5, 1e-14);  // sum of (1/2)^k 1/4
  EXPECT_EQ(s.unsupported_cells, (std::vector<Label>{1}));
  const ArpSolution two_steps = solve(m, Discount{1.0}, Horizon{2});
  EXPECT_NEAR(two_steps.unsupported, 0.25, 1e-14);
}

TEST(Solve, WhatFollowsTheLastStepNeedsNoData) {
  ArpModel m = two_cells();
  m.seen[1] = 0.0;  // its reward is known, its outcome is not: only cut steps
  MoveCounts p(2);
  p.add(0, 0, 0.5);
  p.add(0, 1, 0.25);
  m.transition = p.rows();
  EXPECT_EQ(solve(m, Discount{1.0}, Horizon{2}).unsupported, 0.0);
  EXPECT_NEAR(solve(m, Discount{1.0}, Horizon{3}).unsupported, 0.25, 1e-14);
}

TEST(Solve, NoReachableExitIsAnErrorThatNamesTheStates) {
  ArpModel m = two_cells();
  m.exit[1] = 0.0;
  MoveCounts p(2);
  p.add(0, 1, 0.75);
  p.add(1, 1, 1.0);
  m.transition = p.rows();
  try {
    solve(m, Discount{1.0}, std::nullopt);
    FAIL();
  } catch (const DegenerateModel& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("1 abstract state (1)"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("horizon"));
  }
  EXPECT_TRUE(std::isfinite(solve(m, Discount{0.99}, std::nullopt).value));
  EXPECT_NEAR(solve(m, Discount{1.0}, Horizon{3}).value, 1 + 0.75 * 6, 1e-14);
}

}  // namespace
}  // namespace starope
