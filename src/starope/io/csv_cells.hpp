#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace starope::io {

// The content of a whole cell. Spaces and tabs around it do not count; a leading '+' is fine.
// A number may be "nan" or "inf": whether those are allowed is for the rules of the column to say.
std::optional<double> number_in(std::string_view cell) noexcept;
// "7", and also "7.0" and "7e0": programs that keep integers as floating-point numbers write them so.
std::optional<std::int64_t> integer_in(std::string_view cell) noexcept;
bool written_as_integer(std::string_view cell) noexcept;      // "7", not "7.0"; of any size
std::optional<bool> flag_in(std::string_view cell) noexcept;  // 0, 1, true, False, TRUE, 0.0, ...

namespace detail {

const char* parse_any_number(const char* first, const char* end, double& value) noexcept;

constexpr bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') < 10;
}

// Eight decimal digits at once: neighbors are joined in pairs, pairs in fours, fours in eight.
inline bool eight_digits(const char* first, std::uint64_t& number) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, first, 8);
  // A byte is a digit if its high half is 3 and stays so when 6 is added.
  if (((word & 0xF0F0F0F0F0F0F0F0U) | (((word + 0x0606060606060606U) & 0xF0F0F0F0F0F0F0F0U) >> 4)) !=
      0x3333333333333333U) {
    return false;
  }
  word -= 0x3030303030303030U;
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t mask = 0x000000FF000000FFU;
  number = (((word & mask) * (100 + (std::uint64_t{1000000} << 32))) +
            (((word >> 16) & mask) * (1 + (std::uint64_t{10000} << 32)))) >>
           32;
  return true;
}

// 10^k is a double without rounding up to k = 22.
inline constexpr double exact_power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace detail

// The number at the start of [first, end), correctly rounded: returns the first character behind it, or nullptr if
// there is none. The last character of the range must not be part of a number (in a chunk it is a newline).
//
// Digits and a point only, at most 19 digits, the digits without the point at most 2^53: both they and the power of ten
// are doubles, so one division rounds once, which is the correct rounding. The rest is left to the general algorithm.
inline const char* parse_number(const char* first, const char* end, double& value) noexcept {
  const char* p = first;
  const bool negative = *p == '-';
  if (negative) ++p;
  std::uint64_t digits = 0;
  const char* const whole = p;
  while (detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t count = p - whole;
  std::ptrdiff_t decimals = 0;
  if (*p == '.') {
    const char* const point = p++;
    if constexpr (std::endian::native == std::endian::little) {
      for (std::uint64_t eight = 0; end - p >= 8 && detail::eight_digits(p, eight); p += 8)
        digits = 100'000'000 * digits + eight;
    }
    while (detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    decimals = p - point - 1;
    count += decimals;
  }
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  if (count == 0 || count > 19 || digits > exact || (*p | 0x20) == 'e') {
    return detail::parse_any_number(first, end, value);
  }
  double magnitude = static_cast<double>(static_cast<std::int64_t>(digits));
  if (decimals != 0) magnitude /= detail::exact_power_of_ten[decimals];
  value = negative ? -magnitude : magnitude;
  return p;
}

// The integer at the start of [first, end), or nullptr if there is none of at most 18 digits.
// The last character of the range must not be a digit.
inline const char* parse_integer(const char* first, std::int64_t& value) noexcept {
  const char* p = first;
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const start = p;
  std::uint64_t digits = 0;
  while (detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
  if (p == start || p - start > 18) return nullptr;
  value = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
  return p;
}

// The first of two characters in [first, end), or end. Cells are short: eight bytes at a time beat the start-up cost of
// memchr.
inline const char* find_either(const char* first, const char* end, char a, char b) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t highs = 0x8080808080808080U;
    const std::uint64_t all_a = ones * static_cast<unsigned char>(a);
    const std::uint64_t all_b = ones * static_cast<unsigned char>(b);
    while (end - first >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, first, 8);
      // x - 1 borrows into the high bit exactly where the byte x was 0; bytes above the first hit may lie, the first
      // never does.
      const std::uint64_t x = word ^ all_a;
      const std::uint64_t y = word ^ all_b;
      const std::uint64_t hit = (((x - ones) & ~x) | ((y - ones) & ~y)) & highs;
      if (hit != 0) return first + (std::countr_zero(hit) >> 3);
      first += 8;
    }
  }
  while (first != end && *first != a && *first != b) ++first;
  return first;
}

}  // namespace starope::io
