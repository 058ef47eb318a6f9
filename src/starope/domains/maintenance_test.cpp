#include "starope/domains/maintenance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "starope/domains/exact_value.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope::domains {
namespace {

// Next states with their probabilities; all rewards of the row must be `reward`.
std::map<std::int32_t, double> next_states(const FleetWear& wear, std::int32_t action, double reward) {
  const TabularMdp mdp = maintenance();
  const TabularMdp::Row row = mdp.row(fleet_state(wear), action);
  std::map<std::int32_t, double> found;
  for (std::size_t i = 0; i < row.next.size(); ++i) {
    found[row.next[i]] += row.probability[i];
    EXPECT_NEAR(row.reward[i], reward, 1e-12);
  }
  return found;
}

TEST(Maintenance, NumbersItsStatesInBaseFour) {
  EXPECT_EQ(fleet_state({3, 0, 2, 1}), 3 + 0 * 4 + 2 * 16 + 1 * 64);
  for (std::int32_t s = 0; s < 256; ++s) EXPECT_EQ(fleet_state(fleet_wear(s)), s);
  EXPECT_EQ(maintenance().states(), 256);
  EXPECT_EQ(maintenance().symbols(), 256);
}

TEST(Maintenance, MachinesWearOneByOneAndFasterWithABrokenOne) {
  // One of four is broken: the others wear 1.5 times as fast. Output 0 + 1 + 0.6 + 0.9.
  const auto next = next_states({3, 0, 2, 1}, 0, 2.5);
  EXPECT_EQ(next.size(), 8u);
  EXPECT_NEAR(next.at(fleet_state({3, 0, 2, 1})), 0.775 * 0.7 * 0.625, 1e-12);
  EXPECT_NEAR(next.at(fleet_state({3, 1, 2, 1})), 0.225 * 0.7 * 0.625, 1e-12);
  EXPECT_NEAR(next.at(fleet_state({3, 0, 3, 2})), 0.775 * 0.3 * 0.375, 1e-12);
  EXPECT_EQ(next_states({3, 3, 3, 3}, 0, 0.0).size(), 1u);
}

TEST(Maintenance, RepairsTheWorstOrAll) {
  // The repaired machine is new and does not wear; the others do, as fast as before.
  const auto worst = next_states({3, 0, 2, 1}, 1, 2.5 - 0.7);
  EXPECT_NEAR(worst.at(fleet_state({0, 1, 2, 1})), 0.225 * 0.7 * 0.625, 1e-12);
  // Of equals the first.
  const auto first = next_states({0, 2, 2, 0}, 1, 3.2 - 0.7);
  for (const auto& [state, probability] : first) EXPECT_EQ(fleet_wear(state)[1], 0);
  const auto all = next_states({3, 0, 2, 1}, 2, 2.5 - 2.0);
  EXPECT_EQ(all, (std::map<std::int32_t, double>{{0, 1.0}}));
}

TEST(Maintenance, RowsSumToOne) {
  const TabularMdp mdp = maintenance();
  for (std::int32_t s = 0; s < 256; ++s) {
    EXPECT_FALSE(mdp.is_terminal(s));
    for (std::int32_t a = 0; a < 3; ++a) {
      const auto p = mdp.row(s, a).probability;
      EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-12);
    }
  }
}

TEST(Maintenance, PolicyCaresForWornFleetsOnly) {
  const TabularPolicy policy = maintenance_policy(0.6);
  const std::int32_t worn = fleet_state({0, 1, 2, 0}), fine = fleet_state({1, 1, 1, 1});
  for (const auto& [state, repair] : {std::pair{worn, 0.6}, std::pair{fine, 0.1}}) {
    EXPECT_NEAR(policy.probability(state, 0), 1.0 - repair, 1e-12);
    EXPECT_NEAR(policy.probability(state, 1), 0.8 * repair, 1e-12);
    EXPECT_NEAR(policy.probability(state, 2), 0.2 * repair, 1e-12);
  }
  EXPECT_THROW(maintenance_policy(1.5), InvalidArgument);
}

// By hand. One step: output 4 less repairs of 0.1 (0.8 * 0.7 + 0.2 * 2) = 0.096. After it machines have a wear of 0 or
// 1, each 1 costs 0.1: their expected number is 0.1 + 0.15 + 0.2 + 0.25 without repair, 0.1 less if the first is
// repaired, 0 if all are.
TEST(Maintenance, ValuesOfOneAndTwoSteps) {
  const TabularMdp mdp = maintenance();
  const TabularPolicy policy = maintenance_policy(0.3);
  EXPECT_NEAR(exact_value(mdp, policy, Discount{1.0}, Horizon{1}), 3.904, 1e-12);
  const double worn = 0.9 * 0.7 + 0.08 * 0.6;
  EXPECT_NEAR(exact_value(mdp, policy, Discount{1.0}, Horizon{2}), 2.0 * 3.904 - 0.1 * worn, 1e-12);
}

// The machines played out one by one, without states and tables.
double played(double care, Random& random) {
  const double outputs[] = {1.0, 0.9, 0.6, 0.0}, chances[] = {0.1, 0.15, 0.2, 0.25};
  int wear[] = {0, 0, 0, 0};
  double total = 0.0;
  for (int t = 0; t < 30; ++t) {
    int worst = 0, broken = 0;
    for (int m = 0; m < 4; ++m) {
      total += outputs[wear[m]];
      if (wear[m] > wear[worst]) worst = m;
      broken += wear[m] == 3 ? 1 : 0;
    }
    const bool repair = random.uniform() < (wear[worst] >= 2 ? care : 0.1), all = random.uniform() < 0.2;
    for (int m = 0; m < 4; ++m)
      if (random.uniform() < chances[m] * (1.0 + 0.5 * broken)) wear[m] = std::min(3, wear[m] + 1);
    if (!repair) continue;
    total -= all ? 2.0 : 0.7;
    for (int m = 0; m < 4; ++m)
      if (all || m == worst) wear[m] = 0;
  }
  return total;
}

TEST(Maintenance, ValueIsThatOfMachinesPlayedOut) {
  const TabularMdp mdp = maintenance();
  for (const double care : {0.3, 0.6}) {
    Moments returns;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      Random random(Seed{4}, Stream::test_data, i);
      returns.add(played(care, random));
    }
    EXPECT_NEAR(exact_value(mdp, maintenance_policy(care), Discount{1.0}, Horizon{30}), returns.mean(),
                4.0 * returns.standard_error());
  }
}

}  // namespace
}  // namespace starope::domains
