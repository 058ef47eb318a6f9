#include "starope/inference/replicate_counts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Dataset logs(std::int64_t episodes) {
  return testing::random_logs({.episodes = episodes, .longest = 2}, Seed{3});
}

TEST(ReplicateCounts, ArePoissonOne) {
  const ReplicateCounts counts(logs(200), Seed{5});
  constexpr std::int64_t replicates = 1000;
  std::array<double, 6> share{};
  std::vector<double> row(replicates);
  for (std::int64_t i = 0; i < counts.episodes(); ++i) {
    counts.of_episode(i, 0, row);
    for (const double k : row) {
      if (k < 6.0) share[static_cast<std::size_t>(k)] += 1.0 / (200.0 * replicates);
    }
  }
  double mass = std::exp(-1.0);
  for (std::size_t k = 0; k < share.size(); ++k) {
    EXPECT_NEAR(share[k], mass, 4.0 * std::sqrt(mass / 200'000.0)) << k;
    mass /= static_cast<double>(k + 1);
  }
}

TEST(ReplicateCounts, AreTheSameByEpisodeAndByReplicate) {
  const ReplicateCounts counts(logs(9), Seed{5});
  std::vector<double> row(10);
  for (std::int64_t i = 0; i < counts.episodes(); ++i) {
    counts.of_episode(i, 4, row);
    for (std::int64_t b = 0; b < 10; ++b) EXPECT_EQ(row[b], counts.of_replicate(4 + b)[i]);
  }
}

TEST(ReplicateCounts, BelongToTheIdOfAnEpisodeNotToItsPlace) {
  const Dataset whole = logs(6);
  const std::vector<std::int64_t> order{5, 3, 1};
  const auto all = ReplicateCounts(whole, Seed{1}).of_replicate(7);
  const auto some = ReplicateCounts(whole.take(order), Seed{1}).of_replicate(7);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(some[i], all[order[i]]);
  EXPECT_NE(ReplicateCounts(logs(50), Seed{1}).of_replicate(7), ReplicateCounts(logs(50), Seed{2}).of_replicate(7));
}

}  // namespace
}  // namespace starope
