#include "starope/abstraction/distinct_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

constexpr std::int64_t free_slot = -1;

std::uint64_t hash_of(std::span<const double> row) noexcept {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const double x : row) {
    // Adding +0 turns -0 into +0, and changes nothing else.
    hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;  // small integers differ in the high bits only, which a product never carries down
  }
  return hash;
}

}  // namespace

DistinctRows::DistinctRows(std::int64_t dimension)
    : dimension_(static_cast<std::size_t>(dimension)), slots_(64, free_slot) {
  STAROPE_ASSERT(dimension >= 1);
}

std::span<const double> DistinctRows::row(std::int64_t number) const noexcept {
  return std::span(rows_).subspan(static_cast<std::size_t>(number) * dimension_, dimension_);
}

DistinctRows::Added DistinctRows::add(std::span<const double> added) {
  STAROPE_ASSERT(added.size() == dimension_);
  if (2 * hashes_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(added);
  const std::size_t last = slots_.size() - 1;
  std::size_t at = hash & last;
  for (; slots_[at] != free_slot; at = (at + 1) & last) {
    const std::int64_t number = slots_[at];
    const auto known = row(number);
    if (hashes_[static_cast<std::size_t>(number)] == hash && std::equal(known.begin(), known.end(), added.begin())) {
      return {number, false};
    }
  }
  const std::int64_t number = size();
  slots_[at] = number;
  hashes_.push_back(hash);
  rows_.insert(rows_.end(), added.begin(), added.end());
  return {number, true};
}

void DistinctRows::grow() {
  slots_.assign(2 * slots_.size(), free_slot);
  const std::size_t last = slots_.size() - 1;
  for (std::size_t number = 0; number < hashes_.size(); ++number) {
    std::size_t at = hashes_[number] & last;
    while (slots_[at] != free_slot) at = (at + 1) & last;
    slots_[at] = static_cast<std::int64_t>(number);
  }
}

std::vector<std::int64_t> DistinctRows::ranks() const {
  std::vector<std::int64_t> order(hashes_.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [this](std::int64_t a, std::int64_t b) {
    const auto left = row(a), right = row(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  std::vector<std::int64_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return ranks;
}

}  // namespace starope
