#include "starope/base/numbers.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Numbers, OfATextThatIsOne) {
  EXPECT_EQ(number_of("0.1"), 0.1);
  EXPECT_EQ(number_of("-2"), -2.0);
  EXPECT_EQ(number_of("1e-3"), 1e-3);
  EXPECT_EQ(number_of("123456789.123456789"), 123456789.123456789);
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "1x", "0x10", "inf", "nan", "1e999"})
    EXPECT_FALSE(number_of(text)) << text;
}

TEST(Numbers, SignificantDigits) {
  EXPECT_EQ(format_number(21.1349), "21.13");
  EXPECT_EQ(format_number(0.75147), "0.7515");
  EXPECT_EQ(format_number(-3.14159, 3), "-3.14");
  EXPECT_EQ(format_number(9.9996), "10");
  EXPECT_EQ(format_number(0.5, 6), "0.5");
  EXPECT_EQ(format_number(100.0, 2), "100");
  EXPECT_EQ(format_number(0.99, 6), "0.99");
  EXPECT_EQ(format_number(0.0), "0");
  EXPECT_EQ(format_number(2.0), "2");
  EXPECT_EQ(format_number(1234567.8), "1,234,568");
  EXPECT_EQ(format_number(1234.5678), "1,235");
  EXPECT_EQ(format_number(-1234567.0), "-1,234,567");
  EXPECT_EQ(format_number(3.21e-9, 2), "3.2e-09");
  EXPECT_EQ(format_number(4.5e12, 3), "4.5e+12");
}

TEST(Numbers, DecimalsFollowTheSecondDigitOfTheUncertainty) {
  EXPECT_EQ(decimals_of(0.0371), 3);
  EXPECT_EQ(decimals_of(0.0999), 2);  // rounds to 0.10
  EXPECT_EQ(decimals_of(4.2), 1);
  EXPECT_EQ(decimals_of(42.0), 0);
  EXPECT_EQ(decimals_of(137.0), 0);
  EXPECT_EQ(decimals_of(0.0), 0);
}

TEST(Numbers, FixedDecimals) {
  EXPECT_EQ(format_fixed(39.2749, 2), "39.27");
  EXPECT_EQ(format_fixed(-0.004, 2), "0.00");
  EXPECT_EQ(format_fixed(-1234.5, 1), "-1,234.5");
  EXPECT_EQ(format_fixed(123456789012.0, 0), "1.235e+11");
  EXPECT_EQ(format_fixed(1.25e-10, 12), "1.25e-10");
}

TEST(Numbers, SharesAreNeverRoundedToNoneOrAll) {
  EXPECT_EQ(format_share(0.0), "0 %");
  EXPECT_EQ(format_share(1.0), "100 %");
  EXPECT_EQ(format_share(0.00001), "below 0.1 %");
  EXPECT_EQ(format_share(0.99999), "above 99.9 %");
  EXPECT_EQ(format_share(0.123), "12 %");
  EXPECT_EQ(format_share(0.0123), "1.2 %");
  EXPECT_EQ(format_share(0.996), "99.6 %");
}

TEST(Numbers, EffectiveEpisodes) {
  EXPECT_EQ(format_ess(3.14), "3.1");
  EXPECT_EQ(format_ess(100.0), "100");
  EXPECT_EQ(format_ess(99.97), "100");
  EXPECT_EQ(format_ess(12345.6), "12,346");
}

}  // namespace
}  // namespace starope
