#include "starope/checks/reward_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace starope {
namespace {

using Counts = std::vector<double>;

// The size in the middle of a bin.
double size_of(std::int64_t bin) {
  return std::exp2((static_cast<double>(bin) + 0.5) / RewardSizes::per_octave - 128.0);
}

// The bin below which this share of the numbers first .. last-1 lies.
std::int64_t quantile(const RewardSizes& sizes, std::int64_t first, std::int64_t last, double share) {
  double total = 0.0;
  for (std::int64_t k = first; k < last; ++k) total += static_cast<double>(sizes.counts[k]);
  double below = 0.0;
  for (std::int64_t k = first; k < last; ++k) {
    below += static_cast<double>(sizes.counts[k]);
    if (below >= share * total) return k;
  }
  return last - 1;
}

struct Groups {
  double factor = 1.0;
  double share = 0.0;  // of the larger ones
};

// Two groups of the same shape, one a multiple of the other: what becomes of numbers in two units. Numbers that take
// few sizes have no shape.
std::optional<Groups> two_units(const RewardSizes& sizes) {
  constexpr std::int64_t reach = 2;
  const auto smooth = [&](std::int64_t bin) {
    double sum = 0.0;
    for (std::int64_t k = std::max<std::int64_t>(0, bin - reach); k <= std::min(RewardSizes::bins - 1, bin + reach);
         ++k)
      sum += static_cast<double>(sizes.counts[k]);
    return sum;
  };
  Counts density, highest_before(static_cast<std::size_t>(RewardSizes::bins)),
      highest_behind(static_cast<std::size_t>(RewardSizes::bins));
  for (std::int64_t k = 0; k < RewardSizes::bins; ++k) density.push_back(smooth(k));
  double highest = 0.0, total = 0.0;
  for (std::size_t k = 0; k < density.size(); ++k) {
    highest_before[k] = highest = std::max(highest, density[k]);
    total += static_cast<double>(sizes.counts[k]);
  }
  highest = 0.0;
  for (std::size_t k = density.size(); k-- > 0;) highest_behind[k] = highest = std::max(highest, density[k]);
  if (total < 200.0) return std::nullopt;
  // The deepest valley.
  std::size_t valley = 0;
  double depth = 1.0;
  for (std::size_t k = 1; k + 1 < density.size(); ++k) {
    const double peak = std::min(highest_before[k], highest_behind[k]);
    if (peak < 0.05 * total / 4.0) continue;
    const double here = density[k] / peak;
    if (here < depth) depth = here, valley = k;
  }
  if (depth > 0.2) return std::nullopt;
  std::size_t end = valley;  // of a flat valley the middle
  while (end + 1 < density.size() && density[end + 1] == density[valley]) ++end;
  const auto cut = static_cast<std::int64_t>((valley + end) / 2);
  double upper = 0.0;
  for (std::int64_t k = cut; k < RewardSizes::bins; ++k) upper += static_cast<double>(sizes.counts[k]);
  const double share = upper / total;
  if (share < 0.02 || share > 0.98) return std::nullopt;
  std::int64_t least = RewardSizes::bins, most = -RewardSizes::bins, middle = 0;
  for (const double q : {0.25, 0.5, 0.75, 0.9}) {
    const std::int64_t apart = quantile(sizes, cut, RewardSizes::bins, q) - quantile(sizes, 0, cut, q);
    least = std::min(least, apart);
    most = std::max(most, apart);
    if (q == 0.5) middle = apart;
  }
  const auto spread = [&](std::int64_t first, std::int64_t last) {
    return quantile(sizes, first, last, 0.9) - quantile(sizes, first, last, 0.1);
  };
  const auto sizes_taken = [&](std::int64_t first, std::int64_t last) {
    return std::count_if(sizes.counts.begin() + first, sizes.counts.begin() + last, [](auto n) { return n > 0; });
  };
  const bool have_shape = spread(0, cut) >= 3 && spread(cut, RewardSizes::bins) >= 3 && sizes_taken(0, cut) >= 8 &&
                          sizes_taken(cut, RewardSizes::bins) >= 8;
  const double factor = std::exp2(static_cast<double>(middle) / RewardSizes::per_octave);
  if (!have_shape || most - least > 4 || factor < 20.0) return std::nullopt;
  return Groups{.factor = factor, .share = share};
}

}  // namespace

namespace {

std::int64_t bin_of(double size) {
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);  // in [0.5, 1)
  std::int64_t quarter = 0;
  for (const double edge : {0.5946035575013605, 0.7071067811865476, 0.8408964152537145}) quarter += mantissa >= edge;
  return std::clamp<std::int64_t>((std::int64_t{exponent} - 1 + 128) * RewardSizes::per_octave + quarter, 0,
                                  RewardSizes::bins - 1);
}

}  // namespace

void RewardSizes::add(std::span<const double> rewards) {
  rows += static_cast<std::int64_t>(rewards.size());
  double last = 0.0;
  std::int64_t bin = 0;
  for (const double reward : rewards) {
    const double size = std::abs(reward);
    if (size == 0.0) continue;
    if (size != last) bin = bin_of(size);  // rewards often repeat
    last = size;
    ++counts[bin];
    squares[bin] += size * size;
  }
}

RewardSizes& RewardSizes::operator+=(const RewardSizes& other) {
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts[k] += other.counts[k];
    squares[k] += other.squares[k];
  }
  rows += other.rows;
  return *this;
}

std::vector<Finding> reward_findings(const RewardSizes& sizes) {
  if (const auto units = two_units(sizes)) {
    return {{Severity::warning, "reward_units", {{"factor", units->factor}, {"share", units->share}}}};
  }
  std::int64_t nonzero = 0;
  double squares = 0.0;
  for (std::size_t k = 0; k < sizes.counts.size(); ++k) {
    nonzero += sizes.counts[k];
    squares += sizes.squares[k];
  }
  if (nonzero < 1000) return {};
  const std::int64_t usual = quantile(sizes, 0, RewardSizes::bins, 0.995);
  const std::int64_t far = usual + 7 * RewardSizes::per_octave;  // more than a hundred times as large
  std::int64_t outliers = 0, largest = 0;
  double theirs = 0.0;
  for (std::int64_t k = far; k < RewardSizes::bins; ++k) {
    outliers += sizes.counts[k];
    theirs += sizes.squares[k];
    if (sizes.counts[k] > 0) largest = k;
  }
  if (outliers == 0 || theirs < 0.5 * squares) return {};
  return {{Severity::warning,
           "reward_outliers",
           {{"rewards", outliers}, {"largest", size_of(largest)}, {"usual", size_of(usual)}, {"rows", sizes.rows}}}};
}

}  // namespace starope
