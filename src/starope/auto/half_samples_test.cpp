#include "starope/auto/half_samples.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::random_bag;
using testing::random_problem;

Problem logs(std::int64_t episodes) {
  return random_problem({.episodes = episodes, .longest = 6}, Seed{2}, ProblemOptions{.horizon = Horizon{6}});
}

// All splits of four episodes into two and two are known: every half must be the double ARP of one of them.
TEST(HalfSamples, AreTheDoubleArpOfComplementaryHalves) {
  const Problem problem = logs(4);
  const Bag bag = random_bag(problem, {2, 3}, 1, Seed{1});
  std::vector<std::pair<double, double>> possible;
  for (std::int64_t a = 0; a < 4; ++a) {
    for (std::int64_t b = a + 1; b < 4; ++b) {
      std::vector<std::int64_t> rest;
      for (std::int64_t i = 0; i < 4; ++i) {
        if (i != a && i != b) rest.push_back(i);
      }
      possible.emplace_back(testing::oracle_pairs(bag, {0, 1}, problem, {a, b}),
                            testing::oracle_pairs(bag, {0, 1}, problem, rest));
    }
  }
  const auto samples = half_samples(bag, problem, {.splits = 20, .seed = Seed{7}});
  ASSERT_EQ(samples.size(), 20u);
  std::vector<int> times(possible.size(), 0);
  for (const HalfSample& sample : samples) {
    bool found = false;
    for (std::size_t p = 0; p < possible.size(); ++p) {
      const bool same = std::abs(sample.pooled[0] - possible[p].first) < 1e-9 &&
                        std::abs(sample.pooled[1] - possible[p].second) < 1e-9;
      times[p] += same ? 1 : 0;
      found = found || same;
    }
    EXPECT_TRUE(found);
  }
  // Twenty draws of six: that one of them takes more than twelve has probability below 1e-4.
  for (const int t : times) EXPECT_LE(t, 12);
}

TEST(HalfSamples, AreTheSameForAnyNumberOfThreadsAndNoneForOneEpisode) {
  const Problem problem = logs(40);
  const Bag bag = random_bag(problem, {2, 3}, 2, Seed{1});
  const auto one = half_samples(bag, problem, {.splits = 3}, Threads{1});
  const auto three = half_samples(bag, problem, {.splits = 3}, Threads{3});
  for (std::size_t r = 0; r < 3; ++r) {
    for (const std::size_t side : {0u, 1u}) {
      EXPECT_EQ(one[r].pooled[side], three[r].pooled[side]);
      EXPECT_EQ(one[r].indexed[side], three[r].indexed[side]);
    }
  }
  const Problem single = logs(1);
  EXPECT_TRUE(half_samples(random_bag(single, {2}, 1, Seed{1}), single, {}).empty());
}

}  // namespace
}  // namespace starope
