#include "starope/domains/transition_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;
using Row = std::array<double, 3>;

TEST(TransitionRows, KeepsWhatIsNotZeroAndEveryDistinctRowOnce) {
  TransitionRows rows(3, 2);
  const Row reward{1, 2, 3};
  rows.add(Row{0.5, 0.0, 0.5}, reward);
  rows.add(Row{0.0, 1.0, 0.0}, reward);
  rows.add(Row{0.5, 0.0, 0.5}, reward);
  rows.add(Row{0.5, 0.0, 0.5}, Row{1, 99, 3});  // another reward, but on what never happens
  rows.add(Row{0.5, 0.0, 0.5}, Row{1, 2, 4});   // another reward
  EXPECT_FALSE(rows.complete());
  rows.add(Row{0.0, 1.0, 0.0}, reward);
  EXPECT_TRUE(rows.complete());
  EXPECT_EQ(rows.row_of(), (std::vector<std::int32_t>{0, 1, 0, 0, 2, 1}));
  ASSERT_EQ(rows.rows().size(), 3u);
  EXPECT_EQ(rows.rows()[0], (std::vector<Outcome>{{0, 0.5, 1}, {2, 0.5, 3}}));
  EXPECT_EQ(rows.rows()[1], (std::vector<Outcome>{{1, 1.0, 2}}));
}

std::string error_of(const Row& probabilities, const Row& rewards = {}) {
  TransitionRows rows(3, 2);
  rows.add(Row{1, 0, 0}, Row{});
  try {
    rows.add(probabilities, rewards);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TransitionRows, NamesThePairThatIsWrong) {
  EXPECT_THAT(error_of({0.5, 0.4, 0.0}), HasSubstr("state 0, action 1: the probabilities sum to 0.9"));
  EXPECT_THAT(error_of({1.5, -0.5, 0.0}), HasSubstr("state 0 is 1.5"));
  EXPECT_THAT(error_of({std::nan(""), 1.0, 0.0}), HasSubstr("nan"));
  EXPECT_THAT(error_of({1.0, 0.0, 0.0}, {HUGE_VAL, 0.0, 0.0}), HasSubstr("reward on entering state 0 is inf"));
  EXPECT_EQ(error_of({1.0, 0.0, 0.0}, {0.0, HUGE_VAL, 0.0}), "no error");
}

TEST(TransitionRows, RefusesOneRowTooMany) {
  TransitionRows rows(1, 1);
  rows.add(std::array<double, 1>{1.0}, std::array<double, 1>{0.0});
  EXPECT_THROW(rows.add(std::array<double, 1>{1.0}, std::array<double, 1>{0.0}), DataError);
  EXPECT_THROW(TransitionRows(0, 1), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
