#include "starope/auto/coalitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::ElementsAre;

Bag bag_of(std::size_t seeds, std::vector<std::int64_t> ladder) {
  Bag bag{.ladder = std::move(ladder), .seeds = seeds, .members = {}};
  bag.members.resize(seeds * bag.levels());
  return bag;
}

TEST(Coalitions, AreNestedFromTheFinestLevelAndSplitBySeed) {
  const Bag bag = bag_of(2, {4, 8, 16});
  // Members 1 2 3 | 10 20 30, finest level first.
  const std::vector<double> of_member{1, 2, 3, 10, 20, 30};
  std::vector<double> sums(5);
  sum_over_coalitions(
      bag, Coalitions::nested_and_seeds, [&](std::size_t m) { return of_member[m]; }, sums);
  EXPECT_THAT(sums, ElementsAre(11, 33, 66, 6, 60));
  EXPECT_THAT(coalition_shares(bag, Coalitions::nested_and_seeds),
              ElementsAre(1.0 / 2, 1.0 / 4, 1.0 / 6, 1.0 / 3, 1.0 / 3));
  std::vector<double> one(1);
  sum_over_coalitions(
      bag, Coalitions::whole_bag, [&](std::size_t m) { return of_member[m]; }, one);
  EXPECT_THAT(one, ElementsAre(66));
  EXPECT_THAT(coalition_shares(bag, Coalitions::whole_bag), ElementsAre(1.0 / 6));
}

}  // namespace
}  // namespace starope
