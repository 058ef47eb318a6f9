#include "starope/estimators/seen_logs.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

TEST(SeenLogs, AreTheSameInBlocksAndFromBytes) {
  const Problem problem =
      testing::random_problem({.episodes = 200, .truncated = 0.5}, Seed{1}, {.discount = Discount{0.5}});
  for (const std::optional<Horizon> horizon : {std::optional<Horizon>{}, std::optional(Horizon{1})}) {
    const Problem asked = problem.with_horizon(horizon);
    const SeenLogs whole = seen_logs(asked);
    EXPECT_EQ(whole.survey, asked.survey());
    EXPECT_EQ(whole.cut.common.has_value(), horizon.has_value());  // all that are cut are cut after one step
    EXPECT_EQ(seen_logs(dataset_source(asked.data(), 30), asked.options(), Threads{2}), whole);
    const Bytes bytes = whole.to_bytes();
    EXPECT_EQ(SeenLogs::from_bytes(bytes), whole);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      Bytes bad = bytes;
      bad[i] ^= std::byte{4};
      EXPECT_THROW(SeenLogs::from_bytes(bad), DataError);
    }
  }
  SeenLogs all = seen_logs(problem);
  EXPECT_THROW(all += seen_logs(problem.with_horizon(Horizon{1})), InvalidArgument);
}

}  // namespace
}  // namespace starope
