#include "starope/arp/move_counts.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

constexpr std::size_t most_pending = 65536;

}  // namespace

std::span<const Label> SparseRows::columns_of(std::int64_t row) const {
  const auto first = static_cast<std::size_t>(offsets[row]);
  const auto last = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]);
  return std::span(column).subspan(first, last - first);
}

std::span<const double> SparseRows::values_of(std::int64_t row) const {
  const auto first = static_cast<std::size_t>(offsets[row]);
  const auto last = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]);
  return std::span(value).subspan(first, last - first);
}

std::size_t SparseRows::find(Label row, Label wanted) const {
  const std::span<const Label> columns = columns_of(row);
  const auto at = std::lower_bound(columns.begin(), columns.end(), wanted);
  if (at == columns.end() || *at != wanted) return column.size();
  return static_cast<std::size_t>(offsets[row]) + static_cast<std::size_t>(at - columns.begin());
}

MoveCounts::MoveCounts(std::int64_t cells) : cells_(cells) {
  if (is_dense()) dense_.assign(cells * cells, 0.0);
}

void MoveCounts::add(Label from, Label to, double weight) {
  STAROPE_ASSERT(from < cells_ && to < cells_);
  if (is_dense()) {
    dense_row(from)[to] += weight;
    return;
  }
  if (weight == 0.0) return;
  pending_.push_back({std::uint64_t{from} * static_cast<std::uint64_t>(cells_) + to, weight});
  if (pending_.size() >= most_pending) compact();
}

void MoveCounts::rescale(double factor) {
  for (double& w : dense_) w *= factor;
  for (Entry& e : sorted_) e.weight *= factor;
  for (Entry& e : pending_) e.weight *= factor;
}

void MoveCounts::compact() {
  if (pending_.empty()) return;
  // Stable: equal keys are added in the order in which they came, so the sums have the same bits every time.
  std::stable_sort(pending_.begin(), pending_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < pending_.size(); ++i) {
    if (pending_[i].key == pending_[kept].key) {
      pending_[kept].weight += pending_[i].weight;
    } else {
      pending_[++kept] = pending_[i];
    }
  }
  pending_.resize(kept + 1);
  combine(sorted_, pending_);
  pending_.clear();
}

void MoveCounts::combine(std::vector<Entry>& into, const std::vector<Entry>& other) {
  std::vector<Entry> merged;
  merged.reserve(into.size() + other.size());
  auto a = into.begin();
  auto b = other.begin();
  while (a != into.end() && b != other.end()) {
    if (a->key == b->key) {
      merged.push_back({a->key, a->weight + b->weight});
      ++a;
      ++b;
    } else {
      merged.push_back(a->key < b->key ? *a++ : *b++);
    }
  }
  merged.insert(merged.end(), a, into.end());
  merged.insert(merged.end(), b, other.end());
  into = std::move(merged);
}

MoveCounts& MoveCounts::operator+=(const MoveCounts& other) {
  STAROPE_ASSERT(cells_ == other.cells_);
  for (std::size_t i = 0; i < dense_.size(); ++i) dense_[i] += other.dense_[i];
  compact();
  if (other.pending_.empty()) {
    combine(sorted_, other.sorted_);
  } else {
    MoveCounts tidy = other;
    tidy.compact();
    combine(sorted_, tidy.sorted_);
  }
  return *this;
}

SparseRows MoveCounts::rows() const {
  SparseRows rows;
  rows.offsets.assign(static_cast<std::size_t>(cells_) + 1, 0);
  const auto append = [&rows](std::uint64_t from, Label to, double weight) {
    if (weight == 0.0) return;
    rows.column.push_back(to);
    rows.value.push_back(weight);
    ++rows.offsets[from + 1];
  };
  const auto k = static_cast<std::uint64_t>(cells_);
  for (std::size_t i = 0; i < dense_.size(); ++i) append(i / k, static_cast<Label>(i % k), dense_[i]);
  if (!is_dense()) {
    MoveCounts tidy = *this;
    tidy.compact();
    for (const Entry& e : tidy.sorted_) append(e.key / k, static_cast<Label>(e.key % k), e.weight);
  }
  for (std::size_t z = 0; z < static_cast<std::size_t>(cells_); ++z) rows.offsets[z + 1] += rows.offsets[z];
  return rows;
}

}  // namespace starope
