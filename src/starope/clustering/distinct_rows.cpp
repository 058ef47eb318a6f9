#include "starope/clustering/distinct_rows.hpp"

#include <algorithm>
#include <numeric>

#include "starope/base/assert.hpp"
#include "starope/base/bits.hpp"

namespace starope {
namespace {

constexpr std::int64_t free_slot = -1;

// Adding +0 turns -0 into +0, and changes nothing else.
std::uint64_t bits_of(double x) noexcept {
  return bits_as<std::uint64_t>(x + 0.0);
}
std::uint64_t bits_of(std::uint64_t x) noexcept {
  return x;
}

template <class T>
std::uint64_t hash_of(std::span<const T> row) noexcept {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const T x : row) {
    hash = (hash ^ bits_of(x)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;  // small integers differ in the high bits only, which a product never carries down
  }
  return hash;
}

bool comes_before(std::span<const double> a, std::span<const double> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// The first feature that differs is the lowest bit of the first word that differs.
bool comes_before(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin());
  if (left == a.end()) return false;
  const std::uint64_t differing = *left ^ *right;
  return (*left & (differing & (~differing + 1))) == 0;
}

}  // namespace

template <class T>
DistinctRowsOf<T>::DistinctRowsOf(std::int64_t numbers_per_row)
    : dimension_(static_cast<std::size_t>(numbers_per_row)), slots_(64, free_slot) {
  STAROPE_ASSERT(numbers_per_row >= 1);
}

template <class T>
std::span<const T> DistinctRowsOf<T>::row(std::int64_t number) const noexcept {
  return std::span(rows_).subspan(static_cast<std::size_t>(number) * dimension_, dimension_);
}

template <class T>
std::size_t DistinctRowsOf<T>::slot_of(std::span<const T> wanted, std::uint64_t hash) const {
  STAROPE_ASSERT(wanted.size() == dimension_);
  const std::size_t last = slots_.size() - 1;
  std::size_t at = hash & last;
  for (; slots_[at] != free_slot; at = (at + 1) & last) {
    const std::int64_t number = slots_[at];
    const auto known = row(number);
    if (hashes_[number] == hash && std::equal(known.begin(), known.end(), wanted.begin())) break;
  }
  return at;
}

template <class T>
typename DistinctRowsOf<T>::Added DistinctRowsOf<T>::add(std::span<const T> added) {
  if (2 * hashes_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(added);
  const std::size_t at = slot_of(added, hash);
  if (slots_[at] != free_slot) return {slots_[at], false};
  const std::int64_t number = size();
  slots_[at] = number;
  hashes_.push_back(hash);
  rows_.insert(rows_.end(), added.begin(), added.end());
  return {number, true};
}

template <class T>
std::optional<std::int64_t> DistinctRowsOf<T>::find(std::span<const T> wanted) const {
  const std::size_t at = slot_of(wanted, hash_of(wanted));
  if (slots_[at] == free_slot) return std::nullopt;
  return slots_[at];
}

template <class T>
void DistinctRowsOf<T>::grow() {
  slots_.assign(2 * slots_.size(), free_slot);
  const std::size_t last = slots_.size() - 1;
  for (std::size_t number = 0; number < hashes_.size(); ++number) {
    std::size_t at = hashes_[number] & last;
    while (slots_[at] != free_slot) at = (at + 1) & last;
    slots_[at] = static_cast<std::int64_t>(number);
  }
}

template <class T>
std::vector<std::int64_t> DistinctRowsOf<T>::ranks() const {
  std::vector<std::int64_t> order(hashes_.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::int64_t a, std::int64_t b) { return comes_before(row(a), row(b)); });
  std::vector<std::int64_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::int64_t>(i);
  return ranks;
}

template <class T>
DistinctRowsOf<T> DistinctRowsOf<T>::sorted() const {
  const std::vector<std::int64_t> rank = ranks();
  std::vector<std::int64_t> by_rank(rank.size());
  for (std::size_t number = 0; number < rank.size(); ++number)
    by_rank[rank[number]] = static_cast<std::int64_t>(number);
  DistinctRowsOf result(row_size());
  for (const std::int64_t number : by_rank) result.add(row(number));
  return result;
}

template class DistinctRowsOf<double>;
template class DistinctRowsOf<std::uint64_t>;

}  // namespace starope
