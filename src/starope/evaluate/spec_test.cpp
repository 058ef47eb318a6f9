#include "starope/evaluate/spec.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(CallText, LeavesOutWhatIsUsual) {
  EXPECT_EQ(CallText("naive").str(), "naive");
  EXPECT_EQ(CallText("f").add("a", std::int64_t{1}, std::int64_t{1}).str(), "f");
  EXPECT_EQ(CallText("f").add("a", std::int64_t{2}, std::int64_t{1}).add("b", "x").add("").add("c=3").str(),
            "f(a=2,b=x,c=3)");
}

TEST(CallText, NumbersKeepTheirDigits) {
  EXPECT_EQ(option_text(0.1), "0.1");
  EXPECT_EQ(std::stod(option_text(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(option_text(Seed{18446744073709551615U}), "18446744073709551615");
}

}  // namespace
}  // namespace starope
