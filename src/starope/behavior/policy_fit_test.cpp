#include "starope/behavior/policy_fit.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(PolicyFit, CountsAreShrunkTowardsAll) {
  ActionLogs logs;
  logs.actions = 2;
  logs.ids = 3;
  logs.code = {0, 0, 0, 1, 2};
  logs.action = {1, 1, 0, 0, 0};
  const std::vector<std::int64_t> training{0, 1, 2, 3}, wanted{0, 3, 4};
  // All: (2 + 0.5) / 5 each. State 0: (2 + 4 * 0.5) / 7 of action 1; state 2 was not seen: all.
  const auto p =
      fitted_probabilities({.method = BehaviorMethod::counts, .strength = 4.0}, logs, training, wanted, {}, Threads{1});
  EXPECT_NEAR(p[1], 4.0 / 7.0, 1e-12);
  EXPECT_NEAR(p[3], 2.0 / 5.0, 1e-12);
  EXPECT_NEAR(p[5], 0.5, 1e-12);
}

TEST(PolicyFit, ClustersSeparateWhatLiesApart) {
  ActionLogs logs;
  logs.actions = 2;
  logs.dimension = 1;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < 40; ++i) {
    logs.features.push_back(i < 20 ? 0.0 + 0.01 * static_cast<double>(i) : 5.0 + 0.01 * static_cast<double>(i));
    logs.action.push_back(i < 20 ? 0 : 1);
    rows.push_back(i);
  }
  const auto p = fitted_probabilities({.method = BehaviorMethod::clusters, .strength = 2.0, .size = 2}, logs, rows,
                                      rows, {}, Threads{1});
  EXPECT_NEAR(p[0], 21.0 / 22.0, 1e-12);
  EXPECT_NEAR(p[2 * 39 + 1], 21.0 / 22.0, 1e-12);
}

TEST(PolicyFit, OnlySettingsThatFitTheStates) {
  ActionLogs ids, numbers;
  ids.ids = 5;
  numbers.dimension = 2;
  ids.action.resize(1000);
  numbers.action.resize(1000);
  EXPECT_FALSE(settings_of(BehaviorMethod::counts, ids).empty());
  EXPECT_TRUE(settings_of(BehaviorMethod::counts, numbers).empty());
  for (const auto method : {BehaviorMethod::clusters, BehaviorMethod::logistic, BehaviorMethod::neighbors}) {
    EXPECT_TRUE(settings_of(method, ids).empty());
    EXPECT_FALSE(settings_of(method, numbers).empty());
  }
}

}  // namespace
}  // namespace starope
