#include "starope/auto/paired_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starope {
namespace {

TEST(PairedShift, IsTheMeanDifferenceWithItsStandardError) {
  const std::vector<double> from{1.0, 5.0, -2.0, 0.0}, to{2.0, 8.0, -1.0, 3.0};
  const PairedShift shift = paired_shift(from, to);  // differences 1, 3, 1, 3
  EXPECT_DOUBLE_EQ(shift.mean, 2.0);
  EXPECT_DOUBLE_EQ(shift.std_error, std::sqrt(4.0 / 3.0 / 4.0));
  EXPECT_DOUBLE_EQ(shift.scores, 4.0);
}

TEST(PairedShift, OfRoundingIsNotSignificant) {
  std::vector<double> from, to;
  for (int i = 0; i < 100; ++i) {
    from.push_back(3.0 + i % 5);
    to.push_back(from.back() + 4e-15);
  }
  const PairedShift shift = paired_shift(from, to);
  EXPECT_GT(shift.mean, 0.0);
  EXPECT_LT(shift.mean, shift.std_error);
}

}  // namespace
}  // namespace starope
