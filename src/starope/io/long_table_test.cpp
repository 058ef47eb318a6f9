#include "starope/io/long_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "starope/io/assemble.hpp"
#include "starope/io/small_table.hpp"

namespace starope::io {
namespace {

using ::testing::ElementsAre;
using testing::small;
using testing::with_final_state;

// Cut where an episode begins and joined again, a table is what it was; and both parts are tables of their own.
TEST(LongTable, IsSplitAndJoined) {
  const ReadResult whole = assemble(with_final_state());
  LongTable table = with_final_state();
  LongTable rest = split(table, 2);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(rest.rows, 2);
  EXPECT_EQ(rest.source.at(0, "r").row, 4);
  EXPECT_THAT(rest.partial_rows, ElementsAre(1));
  const ReadResult joined = assemble(join(std::move(table), std::move(rest)));
  EXPECT_THAT(joined.data.rewards(), ElementsAre(1, 2, 3));
  EXPECT_EQ(joined.data.final_row(1), whole.data.final_row(1));
  EXPECT_EQ(joined.data.episode_name(1), "b");
  EXPECT_EQ(joined.data.episodes(), 2);
}

// The second table begins in the middle of an episode.
TEST(LongTable, AnEpisodeGoesOnInTheTableThatIsJoined) {
  LongTable first = small(), second = small();
  second.episode.text = {"b", "c"};
  const Dataset data = assemble(join(std::move(first), std::move(second))).data;
  ASSERT_EQ(data.episodes(), 3);
  EXPECT_EQ(data.length(1), 3);
  EXPECT_EQ(data.episode_name(2), "c");
}

}  // namespace
}  // namespace starope::io
