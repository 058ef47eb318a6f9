#pragma once

#include <span>

namespace starope {

// How far two ways to score the same episodes lie apart on average, and how sure that is. Ways that are equal in theory
// differ by rounding, always in the same direction and hence with a tiny standard error; below a millionth of a
// millionth of the scores nothing is significant.
struct PairedShift {
  double mean = 0.0;       // of `to` - `from`
  double std_error = 0.0;  // at least 1e-12 of the scores
  double scores = 0.0;     // how many episodes it rests on: (sum e^2)^2 / sum e^4 of the centered differences
};

PairedShift paired_shift(std::span<const double> from, std::span<const double> to);

}  // namespace starope
