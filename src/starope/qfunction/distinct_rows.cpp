#include "starope/qfunction/distinct_rows.hpp"

#include <algorithm>
#include <bit>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

std::uint64_t hash_of(std::span<const double> row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const double x : row) {
    hash ^= std::bit_cast<std::uint64_t>(x);
    hash *= 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 29U;
  }
  return hash;
}

}  // namespace

std::size_t DistinctRows::id_of(std::span<const double> wanted) {
  STAROPE_ASSERT(wanted.size() == width_);
  const auto is = [&](std::size_t id) {
    const auto known = row(id);
    return std::equal(known.begin(), known.end(), wanted.begin());
  };
  if (last_ < count_ && is(last_)) return last_;  // neighbours are often equal
  const std::uint64_t hash = hash_of(wanted);
  const auto [first, behind] = of_hash_.equal_range(hash);
  for (auto it = first; it != behind; ++it) {
    if (is(it->second)) return last_ = it->second;
  }
  values_.insert(values_.end(), wanted.begin(), wanted.end());
  of_hash_.emplace(hash, count_);
  return last_ = count_++;
}

}  // namespace starope
