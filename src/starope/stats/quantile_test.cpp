#include "starope/stats/quantile.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace starope
