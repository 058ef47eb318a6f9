#include "starope/fold/blocks.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(Blocks, CoverEveryEpisodeOnceInOrder) {
  const Problem problem = testing::random_problem({.episodes = 100}, Seed{1});
  const auto blocks = make_blocks(problem, 50);
  ASSERT_GT(blocks.size(), 5u);
  EXPECT_EQ(blocks.front().first, 0);
  EXPECT_EQ(blocks.back().last, 100);
  for (std::size_t b = 1; b < blocks.size(); ++b) EXPECT_EQ(blocks[b].first, blocks[b - 1].last);
}

TEST(Blocks, AreClosedByTheEpisodeThatFillsThem) {
  const Problem problem = testing::random_problem({.episodes = 10, .shortest = 4, .longest = 4}, Seed{1});
  EXPECT_EQ(make_blocks(problem, 10), (std::vector<EpisodeBlock>{{0, 3}, {3, 6}, {6, 9}, {9, 10}}));
  EXPECT_EQ(make_blocks(problem), (std::vector<EpisodeBlock>{{0, 10}}));
}

TEST(Blocks, CountOnlyTheStepsUpToTheHorizon) {
  const Problem problem =
      testing::random_problem({.episodes = 10, .shortest = 4, .longest = 4}, Seed{1}, {.horizon = Horizon{2}});
  EXPECT_EQ(make_blocks(problem, 10), (std::vector<EpisodeBlock>{{0, 5}, {5, 10}}));
}

}  // namespace
}  // namespace starope
