#include "starope/evaluate/shard_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ShardSums sums() {
  const Dataset data = starope::testing::random_logs({.episodes = 50, .longest = 5}, Seed{2});
  return count(dataset_source(data), {}, parse_estimators("naive,wis,star(clusters=3)")).sums();
}

TEST(ShardSums, BytesComeBack) {
  const ShardSums all = sums();
  EXPECT_EQ(ShardSums::from_bytes(all.to_bytes()), all);
  EXPECT_THAT(all.recipe(), AllOf(HasSubstr("gamma 1"), HasSubstr("naive"), HasSubstr("with the 3 cells")));
}

// A checksum only shows that nobody was careless. What contradicts itself inside is refused as well.
TEST(ShardSums, ContradictionsAreRefused) {
  ShardSums all = sums();
  std::get<StarSums>(all.estimators[2].sums).phi = Phi();
  EXPECT_THAT([&] { ShardSums::from_bytes(all.to_bytes()); }, ThrowsMessage<DataError>(HasSubstr("cells")));
  all = sums();
  std::get<StarSums>(all.estimators[2].sums).asked.horizon = Horizon{3};
  EXPECT_THAT([&] { ShardSums::from_bytes(all.to_bytes()); }, ThrowsMessage<DataError>(HasSubstr("another question")));
  all = sums();
  std::get<Grouped<WisSums>>(all.estimators[1].sums)[5].recipe.question.discount = Discount{0.5};
  EXPECT_THAT([&] { ShardSums::from_bytes(all.to_bytes()); }, ThrowsMessage<DataError>(HasSubstr("different recipes")));
}

TEST(ShardSums, EveryGroupOfEpisodesIsUsed) {
  const ShardSums all = sums();
  double episodes = 0.0;
  std::size_t used = 0;
  for (const WisSums& group : std::get<Grouped<WisSums>>(all.estimators[1].sums)) {
    episodes += group.episodes;
    used += group.episodes > 0.0 ? 1 : 0;
  }
  EXPECT_EQ(episodes, 50.0);
  EXPECT_GT(used, 25u);
}

}  // namespace
}  // namespace starope
