// One file, compiled once per instruction set. Every sum over members is taken element by element, and the sum over k
// runs in eight interleaved partial sums that are added in a fixed order, so no result depends on the vector width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/auto/row_sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "starope/auto/row_sums.hpp"
#include "starope/base/doubles.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, row_lanes>;

// Vectors that are summed side by side. An addition waits for the one before it in its own sum only, so one sum alone
// leaves the adders idle most of the time.
constexpr std::size_t side_by_side = 4;

// Adds `members` rows, `step` apart from `first` on, to the sums.
template <std::size_t count>
HWY_INLINE void add_rows(const RowSums& s, std::size_t k, std::size_t first, std::size_t step, std::size_t members,
                         hn::Vec<Tag> (&sum)[count]) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t i = 0, m = first; i < members; ++i, m += step) {
    const double* const row = s.table + s.rows[m] * s.stride + k;
    for (std::size_t v = 0; v < count; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(Tag(), row + v * lanes));
  }
}

template <std::size_t count>
HWY_INLINE void set_to_zero(hn::Vec<Tag> (&sum)[count]) {
  for (std::size_t v = 0; v < count; ++v) sum[v] = hn::Zero(Tag());
}

template <std::size_t count>
HWY_INLINE void store(const hn::Vec<Tag> (&sum)[count], double* to) {
  for (std::size_t v = 0; v < count; ++v) hn::StoreU(sum[v], Tag(), to + v * hn::Lanes(Tag()));
}

// As many seeds as `auto` takes of cells, or of traces, unless told otherwise: their sums and the total stay in
// registers, so that every row is read once.
constexpr std::size_t seeds_of_cells = 6, seeds_of_traces = 4;

template <std::size_t seeds>
HWY_INLINE void sum_columns_once(const RowSums& s, std::size_t k, double* nested, double* by_seed) {
  constexpr std::size_t count = 2;
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag> sum[count], of_seed[seeds][count];
  set_to_zero(sum);
  for (auto& seed : of_seed) set_to_zero(seed);
  for (std::size_t l = 0; l < s.levels; ++l) {
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const std::size_t m = seed * s.levels + l;
      const double* const row = s.table + s.rows[m] * s.stride + k;
      for (std::size_t v = 0; v < count; ++v) {
        const auto values = hn::LoadU(Tag(), row + v * lanes);
        sum[v] = hn::Add(sum[v], values);
        of_seed[seed][v] = hn::Add(of_seed[seed][v], values);
      }
    }
    store(sum, nested + l * s.width + k);
  }
  for (std::size_t seed = 0; seed < seeds; ++seed) store(of_seed[seed], by_seed + seed * s.width + k);
}

// Level by level, finest first: the nested sums are what has been added up so far, and the total is the last of them.
template <std::size_t count>
HWY_INLINE void sum_columns(const RowSums& s, std::size_t k, double* total) {
  hn::Vec<Tag> sum[count];
  set_to_zero(sum);
  for (std::size_t l = 0; l < s.levels; ++l) add_rows(s, k, l, s.levels, s.seeds, sum);
  store(sum, total + k);
}

template <std::size_t count>
HWY_INLINE void sum_columns_nested(const RowSums& s, std::size_t k, double* nested, double* by_seed) {
  hn::Vec<Tag> sum[count];
  set_to_zero(sum);
  for (std::size_t l = 0; l < s.levels; ++l) {
    add_rows(s, k, l, s.levels, s.seeds, sum);
    store(sum, nested + l * s.width + k);
  }
  // The rows are in the nearest cache by now.
  for (std::size_t seed = 0; seed < s.seeds; ++seed) {
    set_to_zero(sum);
    add_rows(s, k, seed * s.levels, 1, s.levels, sum);
    store(sum, by_seed + seed * s.width + k);
  }
}

void sum_rows(const RowSums& s, double* total) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t k = 0;
  for (; k + 2 * side_by_side * lanes <= s.width; k += 2 * side_by_side * lanes)
    sum_columns<2 * side_by_side>(s, k, total);
  for (; k + side_by_side * lanes <= s.width; k += side_by_side * lanes) sum_columns<side_by_side>(s, k, total);
  switch ((s.width - k) / lanes) {
    case 3:
      return sum_columns<3>(s, k, total);
    case 2:
      return sum_columns<2>(s, k, total);
    case 1:
      return sum_columns<1>(s, k, total);
    default:
      return;
  }
}

void sum_rows_nested(const RowSums& s, double* nested, double* by_seed) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t k = 0;
  if (s.seeds == seeds_of_cells) {
    for (; k + 2 * lanes <= s.width; k += 2 * lanes) sum_columns_once<seeds_of_cells>(s, k, nested, by_seed);
  }
  if (s.seeds == seeds_of_traces) {
    for (; k + 2 * lanes <= s.width; k += 2 * lanes) sum_columns_once<seeds_of_traces>(s, k, nested, by_seed);
  }
  for (; k + side_by_side * lanes <= s.width; k += side_by_side * lanes) {
    sum_columns_nested<side_by_side>(s, k, nested, by_seed);
  }
  for (; k < s.width; k += lanes) sum_columns_nested<1>(s, k, nested, by_seed);
}

double dot(const double* a, const double* b, std::size_t count) {
  const Tag tag;
  // Where vectors are short, loads of a part of them read the rest as well, which may be nobody's.
  constexpr bool reads_parts = hn::MaxLanes(Tag()) >= 4;
  const std::size_t lanes = hn::Lanes(tag), whole = count / row_lanes * row_lanes, rest = count - whole;
  HWY_ALIGN double partial[row_lanes] = {};
  for (std::size_t lane = 0; lane < row_lanes; lane += lanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t k = lane; k < whole; k += row_lanes)
      sum = hn::Add(sum, hn::Mul(hn::LoadU(tag, a + k), hn::LoadU(tag, b + k)));
    if (reads_parts && rest > lane) {
      const auto some = hn::FirstN(tag, rest - lane);
      sum = hn::Add(sum,
                    hn::Mul(hn::MaskedLoad(some, tag, a + whole + lane), hn::MaskedLoad(some, tag, b + whole + lane)));
    }
    hn::Store(sum, tag, partial + lane);
  }
  if (!reads_parts) {
    for (std::size_t k = whole; k < count; ++k) partial[k - whole] += a[k] * b[k];
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(sum_rows);
HWY_EXPORT(sum_rows_nested);
HWY_EXPORT(dot);
}  // namespace detail

void sum_rows(const RowSums& sums, double* total) {
  STAROPE_DISPATCH(sum_rows)(sums, total);
}

void sum_rows_nested(const RowSums& sums, double* nested, double* by_seed) {
  STAROPE_DISPATCH(sum_rows_nested)(sums, nested, by_seed);
}

double dot(const double* a, const double* b, std::size_t count) {
  return STAROPE_DISPATCH(dot)(a, b, count);
}

}  // namespace starope
#endif
