#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starope {

// The finite number that all of this text is, written as std::from_chars wants it; none: it is something else. (Not
// every standard library has std::from_chars for numbers with a point.)
std::optional<double> number_of(std::string_view text) noexcept;

// A number on its own, with up to this many significant digits: "21.13", "0.5", "1,234,568", "3.2e-09".
std::string format_number(double x, int significant = 4);

// How many decimals a value with this uncertainty deserves: those of the second significant digit of the uncertainty
// (at least 0). 0.0371 -> 3, 4.2 -> 1, 137 -> 0.
int decimals_of(double uncertainty);

// With exactly this many decimals and thousands separated; very large and very small numbers in powers of ten.
std::string format_fixed(double x, int decimals);

// With the decimals that its standard error leaves it; six digits where it has none.
std::string format_estimate(double x, const std::optional<double>& std_error);

// A share of one as a percentage: "12 %", "0.3 %", "below 0.1 %"; exactly 0 and 1 are "0 %" and "100 %", nothing else
// is.
std::string format_share(double share);

// An effective number of episodes: one decimal below 100, none above.
std::string format_ess(double ess);

}  // namespace starope
