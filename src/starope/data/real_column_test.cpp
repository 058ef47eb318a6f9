#include "starope/data.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

const RealColumn& doubles() {
  static const RealColumn column{0.5, 0.25, 0.1};
  return column;
}

const RealColumn& floats() {
  static const RealColumn column = std::vector<float>{0.5F, 0.25F, 0.1F};
  return column;
}

TEST(RealColumn, ReadsFloatsAsTheDoublesTheyAre) {
  EXPECT_EQ(floats().size(), 3);
  EXPECT_EQ(floats()[1], 0.25);
  EXPECT_EQ(floats()[2], static_cast<double>(0.1F));
  EXPECT_EQ(floats().widened(), (std::vector<double>{0.5, 0.25, static_cast<double>(0.1F)}));
  EXPECT_EQ(doubles()[2], 0.1);
}

TEST(RealColumn, KeepsWhatItWasGiven) {
  EXPECT_NE(floats().floats(), nullptr);
  EXPECT_EQ(floats().doubles(), nullptr);
  EXPECT_NE(floats().slice(1, 3).floats(), nullptr);
  EXPECT_EQ(floats().slice(1, 3).floats()->data(), floats().floats()->data() + 1);
  EXPECT_NE(doubles().doubles(), nullptr);
  EXPECT_EQ(doubles().floats(), nullptr);
  EXPECT_TRUE(RealColumn{}.empty());
}

TEST(RealColumn, WritesOnlyFloatsToTheScratch) {
  std::vector<double> scratch;
  EXPECT_EQ(doubles().widened(1, 3, scratch).data(), doubles().doubles()->data() + 1);
  EXPECT_TRUE(scratch.empty());
  EXPECT_EQ(doubles().widened().data(), doubles().doubles()->data());
  const auto part = floats().widened(0, 2, scratch);
  EXPECT_EQ(part.data(), scratch.data());
  EXPECT_EQ(scratch, (std::vector<double>{0.5, 0.25}));
}

TEST(RealColumn, IsComparedByItsNumbers) {
  EXPECT_EQ(doubles().slice(0, 2), floats().slice(0, 2));
  EXPECT_NE(doubles(), floats());  // 0.1 is not a float
  EXPECT_NE(doubles(), doubles().slice(0, 2));
  EXPECT_EQ(floats().slice(0, 2), (std::vector<double>{0.5, 0.25}));
}

}  // namespace
}  // namespace starope
