#include "arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "failure.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Arguments, GoodValues) {
  EXPECT_EQ(parse_discount("--gamma", "0.99").gamma(), 0.99);
  EXPECT_EQ(parse_discount("--gamma", "1").gamma(), 1.0);
  EXPECT_EQ(parse_discount("--gamma", "0").gamma(), 0.0);
  EXPECT_EQ(parse_horizon("--horizon", "50").steps(), 50);
  EXPECT_EQ(parse_level("--level", "0.9").probability(), 0.9);
  EXPECT_EQ(parse_threads("--threads", "3").count(), 3);
  EXPECT_EQ(parse_seed("--seed", "18446744073709551615").value, 18446744073709551615U);
  EXPECT_EQ(parse_count("--episodes", "+12"), 12);
}

TEST(Arguments, DiscountsOutsideZeroToOne) {
  for (const char* text : {"1.5", "-0.1", "nan", "inf", "0.9x", "", "0,9"}) {
    EXPECT_THAT(complaint([&] { parse_discount("--gamma", text); }),
                AllOf(HasSubstr(std::string("--gamma ") + text), HasSubstr("from 0 to 1")));
  }
}

TEST(Arguments, HorizonsBelowOne) {
  for (const char* text : {"0", "-3", "2.5", "ten", "99999999999999999999"}) {
    EXPECT_THAT(complaint([&] { parse_horizon("--horizon", text); }), AllOf(HasSubstr(text), HasSubstr("at least 1")));
  }
}

TEST(Arguments, LevelsOutsideTheOpenInterval) {
  for (const char* text : {"0", "1", "95", "-1", "x"}) {
    EXPECT_THAT(complaint([&] { parse_level("--level", text); }), HasSubstr("between 0 and 1"));
  }
}

TEST(Arguments, ThreadsAndSeeds) {
  EXPECT_THAT(complaint([] { parse_threads("--threads", "0"); }), HasSubstr("at least 1"));
  EXPECT_THAT(complaint([] { parse_threads("--threads", "9999999999"); }), HasSubstr("at least 1"));
  EXPECT_THAT(complaint([] { parse_seed("--seed", "-1"); }), HasSubstr("whole number from 0"));
}

TEST(Arguments, ChoicesNameTheNearest) {
  EXPECT_EQ(parse_choice("--interval", "none", {"influence", "none"}), 1U);
  EXPECT_THAT(complaint([] {
                parse_choice("--interval", "influense", {"influence", "none"});
              }),
              AllOf(HasSubstr("--interval"), HasSubstr("did you mean 'influence'?")));
}

TEST(Arguments, Names) {
  EXPECT_THAT(parse_names("--state", "hr,bp"), ElementsAre("hr", "bp"));
  EXPECT_THAT(parse_names("--state", "hr"), ElementsAre("hr"));
  for (const char* text : {"", "a,,b", ",a", "a,"}) {
    EXPECT_THAT(complaint([&] { parse_names("--state", text); }), HasSubstr("a name is missing"));
  }
}

TEST(Arguments, AmountsOfMemoryHaveUnits) {
  EXPECT_EQ(parse_bytes("--memory", "2GB"), 2'000'000'000);
  EXPECT_EQ(parse_bytes("--memory", "1.5g"), 1'500'000'000);
  EXPECT_EQ(parse_bytes("--memory", "500MB"), 500'000'000);
  EXPECT_EQ(parse_bytes("--memory", "64k"), 64'000);
  EXPECT_EQ(parse_bytes("--memory", "123"), 123);
  for (const char* wrong : {"", "GB", "0", "-1GB", "2 GB", "2XB", "1e3", "1.2.3GB", "nanGB", "99999999999TB"})
    EXPECT_THROW(parse_bytes("--memory", wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace starope::cli
