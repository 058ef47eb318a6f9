#include "starope/inference/replicate_fold.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

// What is added is each episode as often as its counts say: the sum of lengths, by hand.
TEST(ReplicateFold, EpisodesCountAsOftenAsTheirCountsSay) {
  const Problem problem = starope::testing::random_problem({.episodes = 40, .longest = 6}, Seed{3}, {});
  const ReplicateCounts counts(problem.data(), Seed{5});
  constexpr std::int64_t replicates = 70;
  std::vector<double> wanted(replicates, 0.0);
  for (std::int64_t b = 0; b < replicates; ++b) {
    const std::vector<double> times = counts.of_replicate(b);
    for (std::int64_t i = 0; i < problem.episodes(); ++i)
      wanted[b] += times[i] * static_cast<double>(problem.episode(i).length());
  }
  for (const int threads : {1, 3}) {
    std::vector<double> sums(replicates, 0.0);
    add_replicates(sums, problem, counts, Threads{threads},
                   [](double& sum, const LoggedEpisode& episode, double times) {
                     sum += times * static_cast<double>(episode.length());
                   });
    EXPECT_EQ(sums, wanted);
  }
}

TEST(ReplicateFold, WhatHasNoValueHasFailed) {
  const Replicates found =
      finished_replicates(std::vector<double>{1.0, 0.0, 4.0}, Threads{1}, [](double sum) -> std::optional<double> {
        if (sum == 0.0) return std::nullopt;
        if (sum == 4.0) throw DegenerateModel("no value");
        return 2.0 * sum;
      });
  EXPECT_EQ(found.values, std::vector<double>{2.0});
  EXPECT_EQ(found.failed, 2);
}

}  // namespace
}  // namespace starope
