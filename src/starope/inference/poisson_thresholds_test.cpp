#include "starope/inference/poisson_thresholds.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(PoissonThresholds, AreTheDistributionOfPoissonOne) {
  // e^-1, 2 e^-1, 2.5 e^-1, (2.5 + 1/6) e^-1
  const double scale = 4294967296.0;
  const auto& found = poisson_thresholds();
  EXPECT_NEAR(found[0] / scale, 0.36787944, 1e-8);
  EXPECT_NEAR(found[1] / scale, 0.73575888, 1e-8);
  EXPECT_NEAR(found[2] / scale, 0.91969860, 1e-8);
  EXPECT_NEAR(found[3] / scale, 0.98101184, 1e-8);
  for (std::size_t k = 1; k < found.size(); ++k) EXPECT_GE(found[k], found[k - 1]);
}

}  // namespace
}  // namespace starope
