#include "starope/io/long_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "starope/io/assemble.hpp"
#include "starope/io/small_table.hpp"

namespace starope::io {
namespace {

using ::testing::ElementsAre;
using testing::with_final_state;

// Cut where an episode begins, both parts are tables of their own.
TEST(LongTable, IsSplit) {
  LongTable table = with_final_state();
  LongTable rest = split(table, 2);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(rest.rows, 2);
  EXPECT_EQ(rest.source.at(0, "r").row, 4);
  EXPECT_THAT(rest.partial_rows, ElementsAre(1));
  const Dataset whole = assemble(with_final_state()).data;
  const Dataset first = assemble(std::move(table)).data, second = assemble(std::move(rest)).data;
  EXPECT_THAT(first.rewards(), ElementsAre(1, 2));
  EXPECT_THAT(second.rewards(), ElementsAre(3));
  EXPECT_EQ(first.episode_name(0), "a");
  EXPECT_EQ(second.episode_name(0), "b");
  EXPECT_TRUE(second.final_row(0).has_value());
  EXPECT_EQ(whole.final_row(1).has_value(), second.final_row(0).has_value());
}

}  // namespace
}  // namespace starope::io
