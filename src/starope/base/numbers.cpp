#include "starope/base/numbers.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace starope {
namespace {

constexpr double largest_plain = 1e9;  // beyond, digits are harder to count than exponents to read
constexpr double smallest_plain = 1e-4;

std::string separate_thousands(std::string digits) {
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > first + 3) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

// "-0.00" says less than "0.00".
std::string without_minus_zero(std::string digits) {
  if (digits.front() == '-' && digits.find_first_of("123456789") == std::string::npos) digits.erase(0, 1);
  return digits;
}

int exponent_of(double x, int significant) {
  // Of the rounded number: 9.996 with three digits is 10.0.
  const std::string text = fmt::format("{:.{}e}", std::abs(x), std::max(significant - 1, 0));
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::optional<double> number_of(std::string_view text) noexcept {
  double number = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = fast_float::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string format_number(double x, int significant) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  if (x == 0.0) return "0";
  const int exponent = exponent_of(x, significant);
  if (std::abs(x) >= largest_plain || std::abs(x) < smallest_plain) {
    return fmt::format("{:.{}g}", x, std::max(significant, 1));
  }
  std::string digits = fmt::format("{:.{}f}", x, std::max(0, significant - 1 - exponent));
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return separate_thousands(std::move(digits));
}

int decimals_of(double uncertainty) {
  if (!std::isfinite(uncertainty) || uncertainty <= 0.0) return 0;
  return std::max(0, 1 - exponent_of(uncertainty, 2));
}

std::string format_fixed(double x, int decimals) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  if (std::abs(x) >= largest_plain) return fmt::format("{:.4g}", x);
  if (decimals > 8) return x == 0.0 ? "0" : fmt::format("{:.2e}", x);
  return without_minus_zero(separate_thousands(fmt::format("{:.{}f}", x, decimals)));
}

std::string format_estimate(double x, const std::optional<double>& std_error) {
  const bool measured = std_error && *std_error > 0.0;
  return measured ? format_fixed(x, decimals_of(*std_error)) : format_number(x, 6);
}

std::string format_share(double share) {
  if (share == 0.0) return "0 %";
  if (share == 1.0) return "100 %";
  const double percent = 100.0 * share;
  if (percent < 0.1) return "below 0.1 %";
  if (percent > 99.9) return "above 99.9 %";
  return percent < 9.95 || percent > 99.0 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string format_ess(double ess) {
  // An unweighted estimator has exactly all episodes; "100.0" would look measured.
  if (ess == std::round(ess) || ess >= 99.95) return format_fixed(ess, 0);
  return fmt::format("{:.1f}", ess);
}

}  // namespace starope
