#include "starope/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "starope/data/episode_hashes.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(Blocks, CoverEveryEpisodeOnceInOrder) {
  const Dataset data = testing::random_logs({.episodes = 100}, Seed{1});
  const auto blocks = make_blocks(data, 50);
  ASSERT_GT(blocks.size(), 5u);
  EXPECT_EQ(blocks.front().first, 0);
  EXPECT_EQ(blocks.back().last, 100);
  for (std::size_t b = 1; b < blocks.size(); ++b) EXPECT_EQ(blocks[b].first, blocks[b - 1].last);
}

TEST(Blocks, AreClosedByTheEpisodeThatFillsThem) {
  const Dataset data = testing::random_logs({.episodes = 10, .shortest = 4, .longest = 4}, Seed{1});
  EXPECT_EQ(make_blocks(data, 10), (std::vector<EpisodeRange>{{0, 3}, {3, 6}, {6, 9}, {9, 10}}));
  EXPECT_EQ(make_blocks(data), (std::vector<EpisodeRange>{{0, 10}}));
}

TEST(Source, CanBeReadAgainAndAgain) {
  const Dataset data = testing::random_logs({.episodes = 40, .final_states = 0.5}, Seed{2});
  const Source source = dataset_source(data, 60);
  for (int pass = 0; pass < 2; ++pass) {
    const Source::Next next = source.open();
    std::int64_t episodes = 0, steps = 0;
    while (const auto block = next()) {
      for (std::int64_t i = 0; i < block->episodes(); ++i) {
        EXPECT_EQ(block->episode_name(i), data.episode_name(episodes + i));
        EXPECT_EQ(block->length(i), data.length(episodes + i));
        EXPECT_EQ(block->final_row(i).has_value(), data.final_row(episodes + i).has_value());
      }
      episodes += block->episodes();
      steps += block->steps();
    }
    EXPECT_EQ(episodes, 40);
    EXPECT_EQ(steps, data.steps());
    EXPECT_FALSE(next());
  }
}

TEST(Source, ReadInOnePieceIsTheDataSet) {
  const Dataset data = testing::random_logs({.episodes = 40, .discrete_states = 7, .final_states = 0.5}, Seed{2});
  const Dataset again = read_all(dataset_source(data, 60));
  EXPECT_EQ(again.states(), data.states());
  EXPECT_TRUE(std::equal(data.rewards().begin(), data.rewards().end(), again.rewards().begin(), again.rewards().end()));
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < data.episodes(); ++i) names.push_back(data.episode_name(i));
  return names;
}

TEST(SampleEpisodes, IsEverythingWhileThatFits) {
  const Dataset data = testing::random_logs({.episodes = 30}, Seed{3});
  const EpisodeSample sample = sample_episodes(dataset_source(data, 20), data.steps());
  EXPECT_TRUE(sample.whole);
  EXPECT_EQ(names_of(sample.episodes), names_of(data));
}

// The same episodes in the same order, however the logs are cut and ordered.
TEST(SampleEpisodes, DependsOnTheIdsAlone) {
  const Dataset data = testing::random_logs({.episodes = 300}, Seed{4});
  std::vector<std::int64_t> backwards(300), all(300);
  std::iota(backwards.rbegin(), backwards.rend(), std::int64_t{0});
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const Dataset named = data.take(all);  // numbered by place, and from now on by name
  const EpisodeSample sample = sample_episodes(dataset_source(named, 100), 400);
  EXPECT_FALSE(sample.whole);
  EXPECT_LE(sample.episodes.steps(), 400);
  EXPECT_GT(sample.episodes.steps(), 380);
  const auto names = names_of(sample.episodes);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  const EpisodeSample other = sample_episodes(dataset_source(named.take(backwards), 33), 400);
  EXPECT_EQ(names_of(other.episodes), names);
  EXPECT_EQ(other.episodes.states(), sample.episodes.states());
}

// Episodes of very different lengths: one that does not fit ends the sample, and a short one behind it must not slip in
// because it came in another block.
TEST(SampleEpisodes, EndsWhereTheFirstEpisodeDoesNotFit) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = testing::random_logs({.episodes = 200, .longest = 60}, Seed{seed});
    const std::vector<std::uint64_t> hashes = episode_hashes(data, 0);
    std::vector<std::int64_t> order(200);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return hashes[a] < hashes[b]; });
    std::vector<std::string> expected;
    for (std::int64_t i = 0, steps = 0; (steps += data.length(order[i])) <= 500; ++i)
      expected.push_back(data.episode_name(order[i]));
    for (const std::int64_t block : {1, 70, 100'000})
      EXPECT_EQ(names_of(sample_episodes(dataset_source(data, block), 500).episodes), expected) << seed << " " << block;
  }
}

}  // namespace
}  // namespace starope
