#include "starope/io/time_gaps.hpp"

#include <algorithm>
#include <cmath>

namespace starope::io {
namespace {

constexpr double largest = 9007199254740992.0;  // 2^53: beyond it a double does not tell integers apart

struct Counting {
  double unit = HUGE_VAL;   // the smallest distance of two steps
  double start = HUGE_VAL;  // the first t of all
  std::int64_t steps = 0, units = 0, starts = 0;
};

// Nothing where a time is no integer.
std::optional<Counting> counting(std::span<const double> t, const std::vector<std::int64_t>& offsets) {
  Counting seen;
  const auto note = [](double x, double& least, std::int64_t& count) {
    if (x < least) least = x, count = 0;
    if (x == least) ++count;
  };
  for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
    for (auto row = static_cast<std::size_t>(offsets[e]); row < static_cast<std::size_t>(offsets[e + 1]); ++row) {
      if (std::isnan(t[row])) continue;
      if (std::trunc(t[row]) != t[row] || std::abs(t[row]) > largest) return std::nullopt;
      if (row == static_cast<std::size_t>(offsets[e])) {
        note(t[row], seen.start, seen.starts);
      } else {
        note(t[row] - t[row - 1], seen.unit, seen.units);
        ++seen.steps;
      }
    }
  }
  return seen;
}

}  // namespace

std::optional<Finding> gaps_in_t(std::span<const double> t, const std::vector<std::int64_t>& offsets) {
  if (t.empty()) return std::nullopt;
  const auto seen = counting(t, offsets);
  if (!seen || seen->steps == 0 || 2 * seen->units < seen->steps) return std::nullopt;
  const auto all = static_cast<std::int64_t>(offsets.size()) - 1;
  const bool common_start = 2 * seen->starts > all;
  std::int64_t rows = 0, episodes = 0;
  for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
    const auto first = static_cast<std::size_t>(offsets[e]);
    double missing = common_start ? std::floor((t[first] - seen->start) / seen->unit) : 0.0;
    for (std::size_t row = first + 1; row < static_cast<std::size_t>(offsets[e + 1]); ++row) {
      if (!std::isnan(t[row])) missing += std::max(0.0, std::floor((t[row] - t[row - 1]) / seen->unit) - 1.0);
    }
    if (missing <= 0.0) continue;
    rows += std::llround(std::min(missing, largest / static_cast<double>(all)));
    ++episodes;
  }
  if (episodes == 0) return std::nullopt;
  return Finding{Severity::warning, "gaps_in_t", {{"rows", rows}, {"episodes", episodes}}};
}

}  // namespace starope::io
