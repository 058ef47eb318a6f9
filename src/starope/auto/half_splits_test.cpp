#include "starope/auto/half_splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace starope {
namespace {

std::vector<std::int64_t> numbers(std::int64_t count) {
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

TEST(HalfSplits, CutTheEpisodesIntoTwoHalves) {
  for (const std::int64_t episodes : {2, 3, 15, 16, 100, 1001}) {
    const HalfSplits splits(episodes, 5, Seed{3});
    ASSERT_EQ(splits.size(), 5u);
    for (std::size_t r = 0; r < splits.size(); ++r) {
      std::vector<std::int64_t> all = splits.episodes_of(r, 0);
      const std::vector<std::int64_t> other = splits.episodes_of(r, 1);
      const auto apart = std::abs(static_cast<std::int64_t>(all.size()) - static_cast<std::int64_t>(other.size()));
      EXPECT_LE(apart, std::max<std::int64_t>(1, episodes / 15)) << episodes;
      all.insert(all.end(), other.begin(), other.end());
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, numbers(episodes));
    }
  }
}

TEST(HalfSplits, AreMadeOfGroups) {
  const HalfSplits splits(50, 3, Seed{1});
  for (std::size_t r = 0; r < splits.size(); ++r) {
    for (const std::size_t side : {0u, 1u}) {
      std::vector<std::int64_t> of_groups;
      for (const std::size_t g : splits.groups_of(r, side)) {
        of_groups.insert(of_groups.end(), splits.groups()[g].begin(), splits.groups()[g].end());
      }
      std::sort(of_groups.begin(), of_groups.end());
      EXPECT_EQ(of_groups, splits.episodes_of(r, side));
    }
  }
}

TEST(HalfSplits, DifferFromEachOtherAndBySeed) {
  const HalfSplits splits(200, 8, Seed{1});
  std::set<std::vector<std::int64_t>> distinct;
  for (std::size_t r = 0; r < splits.size(); ++r) distinct.insert(splits.episodes_of(r, 0));
  EXPECT_EQ(distinct.size(), 8u);
  EXPECT_EQ(HalfSplits(200, 8, Seed{1}).episodes_of(2, 0), splits.episodes_of(2, 0));
  EXPECT_NE(HalfSplits(200, 8, Seed{2}).episodes_of(2, 0), splits.episodes_of(2, 0));
}

TEST(HalfSplits, AreNoneForOneEpisode) {
  EXPECT_EQ(HalfSplits(1, 8, Seed{}).size(), 0u);
}

TEST(HalfSplits, HaveBothHalvesOfEverySplitOneByOne) {
  const HalfSplits splits(20, 3, Seed{1});
  const auto halves = splits.halves();
  ASSERT_EQ(halves.size(), 2 * splits.size());
  for (std::size_t at = 0; at < halves.size(); ++at) EXPECT_EQ(halves[at], splits.episodes_of(at / 2, at % 2));
}

}  // namespace
}  // namespace starope
