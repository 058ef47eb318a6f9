#pragma once

#include <cstdint>
#include <optional>

#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Rows that say once more what the row before them says: a join that matched twice, logs that were appended to
// themselves. A row may be like the one before, but no more often than the logged probabilities allow: whatever came
// before, an action comes again, with the same probability, with at most that probability.
struct Repeats {
  std::int64_t rows = 0;     // with a row of the same state before them
  std::int64_t repeats = 0;  // of them, those that are equal in action, reward and probabilities as well
  double expected = 0.0;     // how many of them at most, on average
  double errors = 0.0;       // how many standard errors there are more
};
Repeats repeats_in(const Dataset& sample);

// None where actions are not discrete: real numbers, such as no dose, may well come again.
std::optional<Finding> repeated_rows(const Dataset& sample);

}  // namespace starope
