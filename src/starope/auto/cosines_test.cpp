#include "starope/auto/cosines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starope {
namespace {

TEST(Cosines, AreThoseOfTheStandardLibraryNearAndFar) {
  for (const double scale : {1.0, 10.0, 1e3, 1e6}) {
    std::vector<double> x;
    for (int i = -501; i <= 501; ++i) x.push_back(scale * i / 501.0);
    const std::vector<double> at = x;
    cosines(x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], std::cos(at[i]), 1e-11) << at[i];
  }
}

TEST(Cosines, OneNumberHasTheBitsItHasAmongOthers) {
  std::vector<double> many(13);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 0.37 * static_cast<double>(i) - 2.0;
  const std::vector<double> at = many;
  cosines(many.data(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    double alone = at[i];
    cosines(&alone, 1);
    EXPECT_EQ(alone, many[i]);
  }
}

}  // namespace
}  // namespace starope
