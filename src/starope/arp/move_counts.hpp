#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/phi/labels.hpp"

namespace starope {

// Rows of (column, value) pairs, columns ascending within a row.
struct SparseRows {
  std::vector<std::int64_t> offsets{0};  // row z is entries offsets[z] .. offsets[z+1]
  std::vector<Label> column{};
  std::vector<double> value{};

  std::int64_t rows() const noexcept { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const Label> columns_of(std::int64_t row) const;
  std::span<const double> values_of(std::int64_t row) const;
  // The position of (row, wanted) in `value`, or value.size() where nothing is stored (as std::find does).
  std::size_t find(Label row, Label wanted) const;
  friend bool operator==(const SparseRows&, const SparseRows&) = default;
};

// Weighted counts of moves between cells: a mergeable matrix, dense while that is small, sparse beyond.
class MoveCounts {
 public:
  explicit MoveCounts(std::int64_t cells = 0);

  // A dense matrix costs cells^2 to clear and to merge for every block of episodes; sorting a block's moves costs about
  // fifty nanoseconds a step. The two meet near 2000 cells; the memory of a dense part (8 MB) speaks for less.
  static constexpr std::int64_t most_dense_cells = 1024;

  std::int64_t cells() const noexcept { return cells_; }
  bool is_dense() const noexcept { return cells_ <= most_dense_cells; }
  double* dense_row(Label from) noexcept {
    return dense_.data() + static_cast<std::size_t>(from) * static_cast<std::size_t>(cells_);
  }
  void add(Label from, Label to, double weight);
  void rescale(double factor);
  MoveCounts& operator+=(const MoveCounts& other);

  SparseRows rows() const;  // without the zeros
  friend bool operator==(const MoveCounts& a, const MoveCounts& b) {
    return a.cells_ == b.cells_ && a.rows() == b.rows();
  }

 private:
  struct Entry {
    std::uint64_t key;  // from * cells + to
    double weight;
  };
  void compact();  // pending_ into sorted_
  static void combine(std::vector<Entry>& into, const std::vector<Entry>& other);

  std::int64_t cells_;
  std::vector<double> dense_;
  std::vector<Entry> sorted_;   // ascending keys, each once
  std::vector<Entry> pending_;  // as they came
};

}  // namespace starope
