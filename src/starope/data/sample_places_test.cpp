#include "starope/data/sample_places.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(SamplePlaces, AreWhereTheSampleComesFrom) {
  const Dataset data = testing::random_logs({.episodes = 200, .final_states = 0.5}, Seed{3});
  for (const std::int64_t block : {10, 1000}) {
    const std::vector<std::int64_t> places = sample_places(dataset_source(data, block), 300);
    const EpisodeSample sample = sample_episodes(dataset_source(data, block), 300);
    ASSERT_FALSE(sample.whole);
    ASSERT_LT(places.size(), 200u);
    const Dataset taken = data.take(places);
    EXPECT_EQ(taken.columns().rewards, sample.episodes.columns().rewards);
    EXPECT_EQ(taken.columns().offsets, sample.episodes.columns().offsets);
    EXPECT_LE(taken.steps(), 300);
  }
}

TEST(SamplePlaces, OfFewStepsAreAll) {
  const Dataset data = testing::random_logs({.episodes = 20}, Seed{3});
  std::vector<std::int64_t> all(20);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  EXPECT_EQ(sample_places(dataset_source(data), data.steps()), all);
}

}  // namespace
}  // namespace starope
