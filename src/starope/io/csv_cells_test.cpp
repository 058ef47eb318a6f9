#include "starope/io/csv_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "starope/rng/random.hpp"

namespace starope::io {
namespace {

// What the C library says, which rounds correctly and shares no code with parse_number.
void expect_like_strtod(const std::string& number) {
  const std::string text = number + ",rest\n";
  double value = -1.0;
  const char* const behind = parse_number(text.data(), text.data() + text.size(), value);
  ASSERT_EQ(behind, text.data() + number.size()) << number;
  const double expected = std::strtod(number.c_str(), nullptr);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << number;
}

TEST(ParseNumber, RoundsLikeTheCLibraryInEveryBranch) {
  for (const char* number : {"0",
                             "-0",
                             "0.0",
                             "1",
                             "-1",
                             "0.5",
                             "7.",
                             ".25",
                             "-.25",
                             "123456789",
                             "0.1",
                             "0.3",
                             "9007199254740992",
                             "9007199254740993",
                             "9007199254740991.5",
                             "0.04435325041413307",
                             "-0.027434834718704222",
                             "12345678.12345678",
                             "0.00000000000000000000001",
                             "1e5",
                             "1E-5",
                             "-2.5e+10",
                             "1e999",
                             "-1e999",
                             "1e-999",
                             "4.9e-324",
                             "123456789012345678901234567890",
                             "0.1234567890123456789012345",
                             "00000000000000000000000000001.5"})
    expect_like_strtod(number);
}

TEST(ParseNumber, RoundsLikeTheCLibraryForRandomDigits) {
  Random random(Seed{1}, Stream::test_data, 1);
  for (int i = 0; i < 20'000; ++i) {
    std::string number = random.below(3) == 0 ? "-" : "";
    const auto digits = random.below(12);
    for (std::uint64_t d = 0; d <= digits; ++d) number += static_cast<char>('0' + random.below(10));
    if (random.below(4) > 0) {
      number += '.';
      const auto decimals = random.below(20);
      for (std::uint64_t d = 0; d < decimals; ++d) number += static_cast<char>('0' + random.below(10));
    }
    if (random.below(5) == 0) number += "e" + std::to_string(static_cast<int>(random.below(40)) - 20);
    expect_like_strtod(number);
  }
}

TEST(ParseNumber, StopsAtWhatIsNoNumber) {
  for (const std::string text : {"abc\n", "-\n", ".\n", "\n", ",1\n", "--1\n", "e5\n"}) {
    double value = 0.0;
    EXPECT_EQ(parse_number(text.data(), text.data() + text.size(), value), nullptr) << text;
  }
  double value = 0.0;
  const std::string text = "1.5x\n";
  EXPECT_EQ(parse_number(text.data(), text.data() + text.size(), value), text.data() + 3);
}

TEST(ParseInteger, KnowsSignsAndItsLimit) {
  const auto parse = [](const std::string& text) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const char* const behind = parse_integer(text.data(), value);
    if (behind == nullptr) return std::nullopt;
    EXPECT_EQ(*behind, ',');
    return value;
  };
  EXPECT_EQ(parse("0,"), 0);
  EXPECT_EQ(parse("-12,"), -12);
  EXPECT_EQ(parse("999999999999999999,"), 999999999999999999);
  EXPECT_EQ(parse("1000000000000000000,"), std::nullopt);  // the slow path takes it
  EXPECT_EQ(parse("-,"), std::nullopt);
  EXPECT_EQ(parse("x,"), std::nullopt);
}

TEST(Cells, NumbersAllowBlanksAroundThemAndAPlus) {
  EXPECT_EQ(number_in(" 0.5\t"), 0.5);
  EXPECT_EQ(number_in("+2"), 2.0);
  EXPECT_EQ(number_in("+.5"), 0.5);
  EXPECT_EQ(number_in("+-2"), std::nullopt);
  EXPECT_EQ(number_in("+"), std::nullopt);
  EXPECT_EQ(number_in(""), std::nullopt);
  EXPECT_EQ(number_in(" "), std::nullopt);
  EXPECT_EQ(number_in("1 2"), std::nullopt);
  EXPECT_EQ(number_in("1,5"), std::nullopt);
  EXPECT_EQ(number_in("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number_in("NaN").value()));
}

TEST(Cells, IntegersMayBeWrittenAsNumbers) {
  EXPECT_EQ(integer_in("3.0"), 3);
  EXPECT_EQ(integer_in("-3e2"), -300);
  EXPECT_EQ(integer_in("+4"), 4);
  EXPECT_EQ(integer_in("3.5"), std::nullopt);
  EXPECT_EQ(integer_in("1e300"), std::nullopt);
  EXPECT_EQ(integer_in("nan"), std::nullopt);
  EXPECT_EQ(integer_in("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_in("9223372036854775808"), std::nullopt);  // as a double it would be another number
  EXPECT_TRUE(written_as_integer(" -7"));
  EXPECT_FALSE(written_as_integer("7.0"));
  EXPECT_TRUE(written_as_integer("17341672388111429999"));  // 2^63 and more: no number that is measured
  EXPECT_FALSE(written_as_integer("17341672388111429999.5"));
  EXPECT_FALSE(written_as_integer("1e30"));
  EXPECT_FALSE(written_as_integer("-"));
  EXPECT_FALSE(written_as_integer(""));
}

TEST(Cells, FlagsAreZeroOneTrueFalse) {
  for (const char* yes : {"1", "true", "True", "TRUE", " 1 ", "1.0"}) EXPECT_EQ(flag_in(yes), true) << yes;
  for (const char* no : {"0", "false", "False", "FALSE", "0.0"}) EXPECT_EQ(flag_in(no), false) << no;
  for (const char* bad : {"", "2", "-1", "yes", "tRUE", "0.5"}) EXPECT_EQ(flag_in(bad), std::nullopt) << bad;
}

TEST(FindEither, FindsTheFirstOfBothAtEveryDistance) {
  // Neighbors that differ from the wanted byte by one are what a borrow would get wrong.
  for (const char filler : {'x', '-', '+', '\v', '\t', '\x80', '\xff'}) {
    for (std::size_t at = 0; at < 40; ++at) {
      for (const char wanted : {',', '\n'}) {
        std::string text(at, filler);
        text += wanted;
        text += ",\n,\n,\n,\n,\n\n";
        EXPECT_EQ(find_either(text.data(), text.data() + text.size(), ',', '\n'), text.data() + at);
      }
    }
  }
}

}  // namespace
}  // namespace starope::io
