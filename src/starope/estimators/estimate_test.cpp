#include "starope/estimators/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "starope/error.hpp"

namespace starope {
namespace {

TEST(Estimate, SaysNothingItDoesNotKnow) {
  const Estimate estimate;
  EXPECT_FALSE(estimate.std_error.has_value());
  EXPECT_FALSE(estimate.interval.has_value());
  EXPECT_FALSE(estimate.ess.has_value());
  EXPECT_TRUE(estimate.findings.empty());
}

TEST(Estimate, WhatIsNoNumberDoesNotLeaveAnEstimator) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(finite({.value = infinity}), DegenerateModel);
  EXPECT_THROW(finite({.value = -infinity}), DegenerateModel);
  EXPECT_THROW(finite({.value = std::nan("")}), DegenerateModel);
  EXPECT_EQ(finite({.value = 2.0, .std_error = 0.5}).std_error, 0.5);
  EXPECT_EQ(finite({.value = 2.0, .std_error = infinity}).std_error, std::nullopt);
  EXPECT_EQ(finite({.value = 2.0, .std_error = std::nan("")}).std_error, std::nullopt);
}

}  // namespace
}  // namespace starope
