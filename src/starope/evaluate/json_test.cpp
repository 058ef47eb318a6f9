#include "starope/evaluate/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace starope {
namespace {

TEST(Json, WhatIsNoNumberIsNull) {
  EXPECT_TRUE(json_number(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_TRUE(json_number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(json_number(std::optional<double>{}).is_null());
  EXPECT_EQ(json_number(0.5), Json(0.5));
}

TEST(Json, NumbersSurviveTheRoundTrip) {
  for (const double x : {0.1, 1.0 / 3.0, 1e-300, -7.25e18, 39.274999999999999}) {
    EXPECT_EQ(Json::parse(json_text(Json{{"x", x}}))["x"].get<double>(), x);
  }
}

TEST(Json, TextThatIsNotUtf8IsReplacedNotFatal) {
  const std::string text = json_text(Json{{"file", "logs\xff.csv"}});
  EXPECT_TRUE(Json::accept(text));
}

TEST(Json, FindingsInTheirContract) {
  const Json list = json_findings({{.severity = Severity::warning, .code = "low_ess", .message = "few"}});
  EXPECT_EQ(list.dump(), R"([{"severity":"warning","code":"low_ess","message":"few"}])");
  EXPECT_EQ(json_findings({}).dump(), "[]");
}

}  // namespace
}  // namespace starope
