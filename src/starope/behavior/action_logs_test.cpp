#include "starope/behavior/action_logs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

TEST(ActionLogs, StandardizeFeatures) {
  const ActionLogs logs = make_action_logs(testing::random_logs({.episodes = 40, .dimension = 2}, Seed{1}), 5, {});
  ASSERT_EQ(logs.dimension, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0.0, square = 0.0;
    const auto steps = static_cast<double>(logs.action.size());
    for (std::size_t i = 0; i < logs.action.size(); ++i) {
      mean += logs.features[2 * i + k] / steps;
      square += std::pow(logs.features[2 * i + k], 2) / steps;
    }
    EXPECT_NEAR(mean, 0.0, 1e-12);
    EXPECT_NEAR(square, 1.0, 1e-12);
  }
}

TEST(ActionLogs, WholeEpisodesGoToFoldsOfEqualSize) {
  const Dataset data = testing::random_logs({.episodes = 23, .discrete_states = 4}, Seed{2});
  const ActionLogs logs = make_action_logs(data, 5, Seed{9});
  std::map<std::int64_t, int> size;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    const auto first = static_cast<std::size_t>(data.first_step(i));
    ++size[logs.fold[first]];
    for (std::size_t t = 1; t < static_cast<std::size_t>(data.length(i)); ++t)
      EXPECT_EQ(logs.fold[first + t], logs.fold[first]);
  }
  EXPECT_EQ(size.size(), 5U);
  for (const auto& [fold, episodes] : size) EXPECT_TRUE(episodes == 4 || episodes == 5) << fold;
}

TEST(ActionLogs, SharesAreNeverZero) {
  ActionLogs logs;
  logs.actions = 4;
  logs.action = {0, 0, 1, 0};
  const std::vector<std::int64_t> rows{0, 1, 2};
  EXPECT_EQ(action_shares(logs, rows), (std::vector<double>{2.25 / 4, 1.25 / 4, 0.25 / 4, 0.25 / 4}));
}

TEST(ActionLogs, NeedActionsThatAreIds) {
  Columns columns = testing::random_logs({}, Seed{1}).columns();
  columns.actions = std::monostate{};
  EXPECT_THROW(make_action_logs(Dataset(std::move(columns)), 5, {}), InvalidArgument);
}

}  // namespace
}  // namespace starope
