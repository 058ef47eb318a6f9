#include "starope/base/text.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

const std::vector<std::string> estimators{"naive", "is", "pdis", "wis", "wpdis", "star"};

TEST(EditDistance, CountsSingleCharacterChanges) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("pdsi", "pdis"), 1);  // neighbors swapped
}

TEST(NearestName, FindsTheSlipAndNothingElse) {
  EXPECT_EQ(nearest_name("wpdsi", estimators), "wpdis");
  EXPECT_EQ(nearest_name("stra", estimators), "star");
  EXPECT_EQ(nearest_name("reinforce", estimators), std::nullopt);
}

TEST(UnknownName, SuggestsAndLists) {
  EXPECT_EQ(unknown_name("estimator", "nave", estimators),
            "unknown estimator 'nave'; did you mean 'naive'? Known: naive, is, pdis, wis, wpdis, star");
}

TEST(Trimmed, TakesBlanksFromBothEndsAndLeavesThoseInside) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("ab"), "ab");
  EXPECT_EQ(trimmed(" \t"), "");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(-1234567), "-1,234,567");
}

TEST(Counted, UsesThePluralExceptForOne) {
  EXPECT_EQ(counted(1, "episode"), "1 episode");
  EXPECT_EQ(counted(2000, "episode"), "2,000 episodes");
}

}  // namespace
}  // namespace starope
