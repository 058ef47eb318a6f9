#include "starope/behavior/nearest_actions.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace starope {
namespace {

ActionLogs line(std::vector<double> places, std::vector<std::int32_t> actions) {
  ActionLogs logs;
  logs.actions = 2;
  logs.dimension = 1;
  logs.features = std::move(places);
  logs.action = std::move(actions);
  return logs;
}

TEST(NearestActions, AreSharesOfTheNearestWithOnePseudoCount) {
  const ActionLogs logs = line({0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 0.4}, {1, 1, 0, 0, 0, 0, 0});
  const std::vector<std::int64_t> training{0, 1, 2, 3, 4, 5}, wanted{6};
  // Shares of all six: (4 + 0.5) / 7 and (2 + 0.5) / 7. The nearest two of 0.4 took action 1.
  const auto p = nearest_probabilities(logs, training, wanted, 2, Threads{1});
  EXPECT_NEAR(p[1], (2.0 + 2.5 / 7.0) / 3.0, 1e-12);
  EXPECT_NEAR(p[0], (4.5 / 7.0) / 3.0, 1e-12);
}

TEST(NearestActions, EqualDistancesShareTheLastPlaces) {
  // Three at distance 1, of which one took action 1; two places: each counts two thirds.
  const ActionLogs logs = line({1.0, -1.0, 1.0, 5.0, 0.0}, {1, 0, 0, 0, 0});
  const std::vector<std::int64_t> training{0, 1, 2, 3}, wanted{4};
  const auto p = nearest_probabilities(logs, training, wanted, 2, Threads{1});
  EXPECT_NEAR(p[1], (2.0 / 3.0 + 1.5 / 5.0) / 3.0, 1e-12);
}

TEST(NearestActions, DoNotDependOnThreads) {
  std::vector<double> places;
  std::vector<std::int32_t> actions;
  for (int i = 0; i < 1000; ++i) {
    places.push_back((i * 37) % 101);
    actions.push_back(i % 3 == 0 ? 1 : 0);
  }
  const ActionLogs logs = line(std::move(places), std::move(actions));
  std::vector<std::int64_t> rows(1000);
  std::iota(rows.begin(), rows.end(), 0);
  EXPECT_EQ(nearest_probabilities(logs, rows, rows, 20, Threads{1}),
            nearest_probabilities(logs, rows, rows, 20, Threads{3}));
}

}  // namespace
}  // namespace starope
