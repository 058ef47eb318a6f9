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
  const Finding found{Severity::warning, "unseen_action", {{"probability", 0.5}, {"pairs", 3}, {"cell", "state"}}};
  const Json list = json_findings({found});
  EXPECT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["parameters"].dump(), R"({"probability":0.5,"pairs":3,"cell":"state"})");
  EXPECT_EQ(list[0]["message"], text(found));
  EXPECT_EQ(list[0]["severity"], "warning");
  EXPECT_EQ(list[0]["code"], "unseen_action");
  EXPECT_EQ(json_findings({}).dump(), "[]");
}

// Casting what does not fit is undefined; it must not come to it.
TEST(Json, WholeNumbersAreThoseThatFit) {
  EXPECT_EQ(whole_from(Json::parse("5")), 5);
  EXPECT_EQ(whole_from(Json::parse("-5")), -5);
  EXPECT_EQ(whole_from(Json::parse("5.0")), 5);
  EXPECT_EQ(whole_from(Json::parse("9223372036854775807")), 9223372036854775807);
  for (const char* text : {"1e300", "-1e300", "9223372036854775808", "5.5", "\"5\"", "null", "true", "[5]", "1e19"}) {
    EXPECT_THROW(whole_from(Json::parse(text)), Json::exception) << text;
  }
  EXPECT_EQ(seed_from(Json::parse("18446744073709551615")), ~std::uint64_t{0});
  EXPECT_THROW(seed_from(Json::parse("-1")), Json::exception);
  EXPECT_THROW(seed_from(Json::parse("1e30")), Json::exception);
}

}  // namespace
}  // namespace starope
