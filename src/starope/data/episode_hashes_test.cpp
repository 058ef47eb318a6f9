#include "starope/data/episode_hashes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Dataset named(std::int64_t episodes, EpisodeIds ids) {
  Columns columns = testing::random_logs({.episodes = episodes}, Seed{1}).columns();
  columns.episode_ids = std::move(ids);
  return Dataset(std::move(columns));
}

TEST(EpisodeHashes, FollowTheIdWhereverItStands) {
  const auto forward = episode_hashes(named(3, Column<std::int64_t>({7, 8, 9})), 0);
  auto backward = episode_hashes(named(3, Column<std::int64_t>({9, 8, 7})), 100);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(std::set(forward.begin(), forward.end()).size(), 3U);
}

TEST(EpisodeHashes, NumberedEpisodesOfAPartHaveTheirNumbersAmongAll) {
  const Dataset logs = testing::random_logs({.episodes = 5}, Seed{2});
  const auto whole = episode_hashes(logs, 0);
  const auto rest = episode_hashes(logs.take(3, 5), 3);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + 3));
}

TEST(EpisodeHashes, TellTextsApart) {
  const auto hashes = episode_hashes(named(3, Column<std::string>({"a", "b", "ab"})), 0);
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), 3U);
}

}  // namespace
}  // namespace starope
