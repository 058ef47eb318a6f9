#include "starope/base/finding.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Finding, SeveritiesHaveTheNamesOfTheJsonContract) {
  EXPECT_STREQ(name(Severity::info), "info");
  EXPECT_STREQ(name(Severity::warning), "warning");
  EXPECT_STREQ(name(Severity::critical), "critical");
}

}  // namespace
}  // namespace starope
