#include "starope/evaluate/grouping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Labels = std::vector<std::string>;

TEST(GroupRule, IsAColumnOrAComparison) {
  EXPECT_EQ(parse_group_rule("age").column, "age");
  EXPECT_EQ(parse_group_rule("age").comparison, "");
  const GroupRule rule = parse_group_rule(" age <= 65.5 ");
  EXPECT_EQ(rule.column, "age");
  EXPECT_EQ(rule.comparison, "<=");
  EXPECT_EQ(rule.value, "65.5");
  EXPECT_EQ(parse_group_rule("ward!=icu").comparison, "!=");
  EXPECT_EQ(parse_group_rule("ward==icu").value, "icu");
  for (const char* text : {"", "<65", "age<", "  "}) EXPECT_THROW(parse_group_rule(text), InvalidArgument) << text;
  EXPECT_EQ(group_column("age<65"), "age");
}

TEST(Grouping, ValuesOfATextInTheirOrder) {
  const Grouping grouping = make_grouping("sex", Labels{"m", "f", " m", ""});
  EXPECT_EQ(grouping.by, "sex");
  EXPECT_THAT(grouping.names, ElementsAre("sex = (empty)", "sex = f", "sex = m"));
  EXPECT_THAT(grouping.group_of, ElementsAre(2, 1, 2, 0));
}

TEST(Grouping, FewNumbersAreValues) {
  const Grouping grouping = make_grouping("stage", Labels{"10", "2", "2.0", "10"});
  EXPECT_THAT(grouping.names, ElementsAre("stage = 2", "stage = 10"));
  EXPECT_THAT(grouping.group_of, ElementsAre(1, 0, 0, 1));
}

TEST(Grouping, ManyNumbersAreQuartiles) {
  Labels labels;
  for (int i = 12; i >= 1; --i) labels.push_back(std::to_string(i));
  const Grouping grouping = make_grouping("age", labels);
  EXPECT_THAT(grouping.names, ElementsAre("age 1 to 3", "age 4 to 6", "age 7 to 9", "age 10 to 12"));
  EXPECT_THAT(grouping.group_of, ElementsAre(3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0));
}

// Half of the values are equal: they stay together, and there are fewer groups.
TEST(Grouping, EqualValuesAreNeverTornApart) {
  Labels labels(20, "0");
  for (int i = 1; i <= 12; ++i) labels.push_back(std::to_string(i));
  const Grouping grouping = make_grouping("x", labels);
  EXPECT_THAT(grouping.names, ElementsAre("x 0 to 0", "x 1 to 4", "x 5 to 12"));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(grouping.group_of[i], 0);
}

TEST(Grouping, AComparisonMakesTwo) {
  const Grouping grouping = make_grouping("age<65", Labels{"64.9", "65", "70"});
  EXPECT_THAT(grouping.names, ElementsAre("age < 65", "age >= 65"));
  EXPECT_THAT(grouping.group_of, ElementsAre(0, 1, 1));
  EXPECT_THAT(make_grouping("age>=65", Labels{"64.9", "65"}).group_of, ElementsAre(1, 0));
  EXPECT_THAT(make_grouping("ward=icu", Labels{"icu", "er"}).group_of, ElementsAre(0, 1));
  EXPECT_THAT(make_grouping("stage!=2", Labels{"2.0", "3"}).group_of, ElementsAre(1, 0));
  EXPECT_THAT(make_grouping("stage==2", Labels{"2.0", "3"}).names, ElementsAre("stage = 2", "stage != 2"));
}

// An age that was not written down is no reason to take the others for texts.
TEST(Grouping, MissingNumbersAreAGroupOfTheirOwn) {
  Labels ages{""};
  for (int i = 1; i <= 12; ++i) ages.push_back(std::to_string(i));
  ages.emplace_back("nan");
  const Grouping quartiles = make_grouping("age", ages);
  EXPECT_THAT(quartiles.names, ElementsAre("age 1 to 3", "age 4 to 6", "age 7 to 9", "age 10 to 12", "age = (empty)"));
  EXPECT_EQ(quartiles.group_of.front(), 4);
  EXPECT_EQ(quartiles.group_of[1], 0);
  EXPECT_EQ(quartiles.group_of.back(), 4);
  const Grouping half = make_grouping("age<7", ages);
  EXPECT_THAT(half.names, ElementsAre("age < 7", "age >= 7", "age = (empty)"));
  EXPECT_THAT(half.group_of, ElementsAre(2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2));
  EXPECT_THAT(make_grouping("stage", Labels{"10", "", "2"}).names,
              ElementsAre("stage = 2", "stage = 10", "stage = (empty)"));
  EXPECT_THAT(make_grouping("stage!=2", Labels{"10", "", "2"}).group_of, ElementsAre(0, 0, 1));
  EXPECT_THAT(make_grouping("stage", Labels{"", " "}).names, ElementsAre("stage = (empty)"));
}

TEST(Grouping, SaysWhatCannotBe) {
  EXPECT_THAT(
      [] {
        make_grouping("ward<icu", Labels{"icu", "er"});
      },
      ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("Use = or !=")));
  EXPECT_THAT(
      [] {
        make_grouping("ward<3", Labels{"icu", "er"});
      },
      ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("the values of ward are not numbers")));
  Labels names;
  for (int i = 0; i < 40; ++i) names.push_back("name" + std::to_string(i));
  EXPECT_THAT([&] { make_grouping("name", names); },
              ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("40 different values")));
}

}  // namespace
}  // namespace starope
