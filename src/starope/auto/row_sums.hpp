#pragma once

#include <cstddef>
#include <cstdint>

namespace starope {

// The inner loops of a bag of abstractions. A table has one row per cell of every member, `stride` numbers apart and
// `width` numbers long (a multiple of row_lanes); a state picks one row per member: rows[s * levels + l] is the row of
// the member with seed s on level l, finest level first. The same bits for any width of the machine's vectors.

inline constexpr std::size_t row_lanes = 8;

inline constexpr std::size_t padded_to_lanes(std::size_t count) noexcept {
  return (count + row_lanes - 1) / row_lanes * row_lanes;
}

struct RowSums {
  const double* table;
  std::size_t stride, width;
  const std::uint32_t* rows;  // seeds * levels
  std::size_t levels, seeds;
};

// total[k] = sum over all members of table[row][k].
void sum_rows(const RowSums& sums, double* total);

// nested[l][k]: the same over the members on the l+1 finest levels (so the last is the total); by_seed[s][k]: over the
// members with that seed. Rows of both are `width` apart.
void sum_rows_nested(const RowSums& sums, double* nested, double* by_seed);

// sum over k < count of a[k] b[k].
double dot(const double* a, const double* b, std::size_t count);

}  // namespace starope
