#include "starope/estimators/estimate.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Estimate, SaysNothingItDoesNotKnow) {
  const Estimate estimate;
  EXPECT_FALSE(estimate.std_error.has_value());
  EXPECT_FALSE(estimate.interval.has_value());
  EXPECT_FALSE(estimate.ess.has_value());
  EXPECT_TRUE(estimate.findings.empty());
}

}  // namespace
}  // namespace starope
