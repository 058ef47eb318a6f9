#include "starope/stats/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starope {
namespace {

// Values of the usual printed tables.
TEST(Quantile, MatchesPrintedTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(student_t_quantile(0.975, 1.0), 12.706204736, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.975, 3.0), 3.182446305, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 10.0), 1.812461123, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.975, 1e9), normal_quantile(0.975), 1e-8);
}

// Where closed forms exist: one degree of freedom is the Cauchy distribution, two have t = (2p-1) / sqrt(2p(1-p)).
TEST(Quantile, MatchesClosedForms) {
  for (const double p : {1e-9, 0.001, 0.2, 0.49, 0.7, 0.975, 0.9999}) {
    const double cauchy = p < 0.5 ? -1.0 / std::tan(M_PI * p) : std::tan(M_PI * (p - 0.5));  // 1e-9 - 0.5 loses digits
    EXPECT_NEAR(student_t_quantile(p, 1.0) / cauchy, 1.0, 1e-12) << p;
    EXPECT_NEAR(student_t_quantile(p, 2.0) / ((2.0 * p - 1.0) / std::sqrt(2.0 * p * (1.0 - p))), 1.0, 1e-12) << p;
  }
}

// The normal distribution has its tail in the standard library; Student's comes from another branch above a million
// degrees of freedom, and must not jump there.
TEST(Quantile, InvertsTheTailAndHasNoSeams) {
  for (const double p : {1e-200, 1e-12, 0.01, 0.3, 0.5, 0.8, 0.999}) {
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / M_SQRT2) / p, 1.0, 1e-12) << p;
    EXPECT_NEAR(student_t_quantile(p, 0.999e6), student_t_quantile(p, 1.001e6), 1e-3) << p;
  }
  for (const double v : {0.5, 3.0, 29.9, 59.9, 60.1, 1e4}) {
    EXPECT_DOUBLE_EQ(student_t_quantile(0.1, v), -student_t_quantile(0.9, v));
    EXPECT_GT(student_t_quantile(0.975, v), student_t_quantile(0.975, v * 1.001));
  }
}

// The quantiles come from another direction: the inverse of the same tail.
TEST(Quantile, ProbabilitiesInvertQuantiles) {
  for (const double v : {0.5, 3.0, 29.9, 1e4, 2e6}) {
    for (const double p : {1e-9, 0.01, 0.3, 0.5, 0.8, 0.999})
      EXPECT_NEAR(student_t_probability(student_t_quantile(p, v), v), p, 1e-11) << p << ' ' << v;
    EXPECT_EQ(student_t_probability(std::numeric_limits<double>::infinity(), v), 1.0);
    EXPECT_EQ(student_t_probability(-std::numeric_limits<double>::infinity(), v), 0.0);
  }
  EXPECT_NEAR(student_t_probability(1.0, 1.0), 0.75, 1e-14);  // Cauchy
  EXPECT_NEAR(student_t_probability(1.812461123, 10.0), 0.95, 1e-9);
}

// --level 0.9999999999999999 asks for this one: the largest double below 1 after 0.5 + 0.5 level.
TEST(Quantile, IsFiniteNextToOne) {
  const double p = std::nextafter(1.0, 0.0);
  EXPECT_NEAR(normal_quantile(p), 8.2095361516013856, 1e-9);
  EXPECT_TRUE(std::isfinite(student_t_quantile(p, 3.0)));
}

}  // namespace
}  // namespace starope
