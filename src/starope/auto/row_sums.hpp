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
  const double* factors;      // one per picked row; null: all are 1
  std::size_t levels, seeds;
};

// total[k] = sum over all members of factor * table[row][k].
void sum_rows(const RowSums& sums, double* total);

// nested[l][k]: the same over the members on the l+1 finest levels (so the last is the total); by_seed[s][k]: over the
// members with that seed. Rows of both are `width` apart.
void sum_rows_nested(const RowSums& sums, double* nested, double* by_seed);

// sum over k < count of omega[k] * (gamma * next[k + 1] - (here[k] - reward)); next may be null: nothing follows.
// omega is padded with zeros up to a multiple of row_lanes. here and next are read just as far, next by one number
// more: behind count they may hold anything finite, such as the row that follows.
double bracket_sum(const double* omega, const double* next, const double* here, double reward, double gamma,
                   std::size_t count);

}  // namespace starope
