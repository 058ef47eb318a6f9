#include "starope/io/csv_cells.hpp"

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>

#include "starope/base/text.hpp"

namespace starope::io {

namespace detail {

const char* parse_any_number(const char* first, const char* end, double& value) noexcept {
  const auto result = fast_float::from_chars(first, end, value);
  // 1e999 is a number, only too large: the value is infinite and the rules of the column refuse it by name.
  return result.ptr == first ? nullptr : result.ptr;
}

}  // namespace detail

namespace {

std::string_view without_plus(std::string_view cell) noexcept {
  const bool plus = cell.size() > 1 && cell.front() == '+' && (detail::is_digit(cell[1]) || cell[1] == '.');
  return plus ? cell.substr(1) : cell;
}

std::optional<std::int64_t> plain_integer(std::string_view cell) noexcept {
  std::int64_t value = 0;
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (result.ec != std::errc() || result.ptr != cell.data() + cell.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> number_in(std::string_view cell) noexcept {
  cell = without_plus(trimmed(cell));
  double value = 0.0;
  if (cell.empty()) return std::nullopt;
  const char* const end = cell.data() + cell.size();
  if (detail::parse_any_number(cell.data(), end, value) != end) return std::nullopt;
  return value;
}

bool written_as_integer(std::string_view cell) noexcept {
  cell = without_plus(trimmed(cell));
  std::int64_t value = 0;
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  // Whatever its size: a hash of 64 bits is an id that cannot be read, and no measurement.
  return result.ec != std::errc::invalid_argument && result.ptr == cell.data() + cell.size();
}

std::optional<std::int64_t> integer_in(std::string_view cell) noexcept {
  cell = without_plus(trimmed(cell));
  if (const auto value = plain_integer(cell)) return value;
  const auto number = number_in(cell);
  constexpr double exact = 9007199254740992.0;  // 2^53: above it neighboring integers share a double
  if (!number || !(std::abs(*number) <= exact) || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<bool> flag_in(std::string_view cell) noexcept {
  cell = trimmed(cell);
  if (cell == "true" || cell == "True" || cell == "TRUE") return true;
  if (cell == "false" || cell == "False" || cell == "FALSE") return false;
  const auto number = integer_in(cell);
  if (!number || (*number != 0 && *number != 1)) return std::nullopt;
  return *number == 1;
}

}  // namespace starope::io
