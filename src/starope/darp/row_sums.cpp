// One file, compiled once per instruction set. Every sum over members is taken element by element, and the sum over k
// runs in eight interleaved partial sums that are added in a fixed order, so no result depends on the vector width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/darp/row_sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "starope/darp/row_sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, row_lanes>;

HWY_INLINE auto load_scaled(const RowSums& s, std::size_t member, std::size_t k) {
  const Tag tag;
  const auto row = hn::LoadU(tag, s.table + s.rows[member] * s.stride + k);
  return s.factors == nullptr ? row : hn::Mul(row, hn::Set(tag, s.factors[member]));
}

void sum_rows(const RowSums& s, double* total) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t k = 0; k < s.width; k += lanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t seed = 0; seed < s.seeds; ++seed) {
      // As in the nested sums: first within a seed, so that both have the same bits.
      auto run = hn::Zero(tag);
      for (std::size_t m = seed * s.levels; m < (seed + 1) * s.levels; ++m) run = hn::Add(run, load_scaled(s, m, k));
      sum = hn::Add(sum, run);
    }
    hn::StoreU(sum, tag, total + k);
  }
}

void sum_rows_nested(const RowSums& s, double* nested, double* by_seed) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t k = 0; k < s.width; k += lanes) {
    for (std::size_t l = 0; l < s.levels; ++l) hn::StoreU(hn::Zero(tag), tag, nested + l * s.width + k);
    for (std::size_t seed = 0; seed < s.seeds; ++seed) {
      auto run = hn::Zero(tag);
      for (std::size_t l = 0; l < s.levels; ++l) {
        run = hn::Add(run, load_scaled(s, seed * s.levels + l, k));
        double* const at = nested + l * s.width + k;
        hn::StoreU(hn::Add(hn::LoadU(tag, at), run), tag, at);
      }
      hn::StoreU(run, tag, by_seed + seed * s.width + k);
    }
  }
}

double bracket_sum(const double* omega, const double* next, const double* here, double reward, double gamma,
                   std::size_t count) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  HWY_ALIGN double partial[row_lanes] = {};
  const auto mean = hn::Set(tag, reward);
  const auto factor = hn::Set(tag, gamma);
  for (std::size_t lane = 0; lane < row_lanes; lane += lanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t k = lane; k < count; k += row_lanes) {
      auto bracket = hn::Sub(mean, hn::LoadU(tag, here + k));
      if (next != nullptr) bracket = hn::Add(bracket, hn::Mul(factor, hn::LoadU(tag, next + k + 1)));
      sum = hn::Add(sum, hn::Mul(hn::LoadU(tag, omega + k), bracket));
    }
    hn::StoreU(sum, tag, partial + lane);
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace starope {
namespace detail {
HWY_EXPORT(sum_rows);
HWY_EXPORT(sum_rows_nested);
HWY_EXPORT(bracket_sum);
}  // namespace detail

void sum_rows(const RowSums& sums, double* total) {
  HWY_DYNAMIC_DISPATCH(detail::sum_rows)(sums, total);
}

void sum_rows_nested(const RowSums& sums, double* nested, double* by_seed) {
  HWY_DYNAMIC_DISPATCH(detail::sum_rows_nested)(sums, nested, by_seed);
}

double bracket_sum(const double* omega, const double* next, const double* here, double reward, double gamma,
                   std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(detail::bracket_sum)(omega, next, here, reward, gamma, count);
}

}  // namespace starope
#endif
