#include "remark.hpp"

#include <gtest/gtest.h>

namespace starope::cli {
namespace {

TEST(Remark, AloneItIsTheSentence) {
  for (const char* sentence : {"", "no figure", "12", "From 1,234 to 5.5, then 3e-07.", "x1 (2) 3"}) {
    EXPECT_EQ(Remark(sentence).text(), sentence);
  }
}

TEST(Remark, FiguresThatDifferBecomeARange) {
  Remark remark("Rests on 1.5 of 1,300 episodes.");
  EXPECT_TRUE(remark.merge("Rests on 1.2 of 1,300 episodes."));
  EXPECT_TRUE(remark.merge("Rests on 10.0 of 1,300 episodes."));
  EXPECT_TRUE(remark.merge("Rests on 1.3 of 1,300 episodes."));
  EXPECT_EQ(remark.text(), "Rests on 1.2 to 10.0 of 1,300 episodes.");
}

TEST(Remark, OtherWordsAreAnotherRemark) {
  Remark remark("Rests on 1.5 episodes.");
  EXPECT_FALSE(remark.merge("Rests on 1.5 steps."));
  EXPECT_FALSE(remark.merge("Rests on few episodes."));
  EXPECT_EQ(remark.text(), "Rests on 1.5 episodes.");
}

TEST(Remark, NumbersAreComparedByValue) {
  Remark remark("p = 0.01");
  EXPECT_TRUE(remark.merge("p = 3e-07"));
  EXPECT_EQ(remark.text(), "p = 3e-07 to 0.01");
}

}  // namespace
}  // namespace starope::cli
