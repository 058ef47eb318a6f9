// One file, compiled once per instruction set. Vectors hold neighboring entries of the result, never terms of one sum.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/stats/matrix_product.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "starope/base/doubles.hpp"
#include "starope/stats/matrix_product.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vector = hn::Vec<Tag>;

constexpr std::size_t tile_rows = 4;

// Two vectors of one row, of which the last may be cut off.
struct Columns {
  std::size_t lanes = 0, first = 0, second = 0;  // entries in use

  HWY_INLINE void load(const double* from, Vector& a, Vector& b) const {
    const Tag tag;
    if (second == lanes) {
      a = hn::LoadU(tag, from);
      b = hn::LoadU(tag, from + lanes);
    } else {
      a = hn::MaskedLoad(hn::FirstN(tag, first), tag, from);
      b = hn::MaskedLoad(hn::FirstN(tag, second), tag, from + lanes);
    }
  }
  HWY_INLINE void add_to(double* to, Vector a, Vector b) const {
    const Tag tag;
    Vector old_a = hn::Zero(tag), old_b = hn::Zero(tag);
    load(to, old_a, old_b);
    hn::BlendedStore(hn::Add(old_a, a), hn::FirstN(tag, first), tag, to);
    hn::BlendedStore(hn::Add(old_b, b), hn::FirstN(tag, second), tag, to + lanes);
  }
};

// Four rows of the result by two vectors: eight sums stay in registers. Rows beyond the last one repeat it, and are not
// written.
HWY_INLINE void add_tile(const MatrixProduct& p, std::size_t i, std::size_t j, const Columns& columns) {
  const Tag tag;
  const auto left_row = [&](std::size_t r) { return p.left.data + std::min(i + r, p.rows - 1) * p.left.row; };
  const double *l0 = left_row(0), *l1 = left_row(1), *l2 = left_row(2), *l3 = left_row(3);
  const double* right = p.right + j;
  Vector a0 = hn::Zero(tag), b0 = a0, a1 = a0, b1 = a0, a2 = a0, b2 = a0, a3 = a0, b3 = a0;
  Vector ra = a0, rb = a0;
  for (std::size_t k = 0; k < p.depth; ++k, right += p.right_stride) {
    columns.load(right, ra, rb);
    const std::size_t at = k * p.left.column;
    const auto x0 = hn::Set(tag, l0[at]), x1 = hn::Set(tag, l1[at]);
    a0 = hn::Add(a0, hn::Mul(x0, ra));
    b0 = hn::Add(b0, hn::Mul(x0, rb));
    a1 = hn::Add(a1, hn::Mul(x1, ra));
    b1 = hn::Add(b1, hn::Mul(x1, rb));
    const auto x2 = hn::Set(tag, l2[at]), x3 = hn::Set(tag, l3[at]);
    a2 = hn::Add(a2, hn::Mul(x2, ra));
    b2 = hn::Add(b2, hn::Mul(x2, rb));
    a3 = hn::Add(a3, hn::Mul(x3, ra));
    b3 = hn::Add(b3, hn::Mul(x3, rb));
  }
  double* out = p.out + i * p.out_stride + j;
  columns.add_to(out, a0, b0);
  if (i + 1 < p.rows) columns.add_to(out + p.out_stride, a1, b1);
  if (i + 2 < p.rows) columns.add_to(out + 2 * p.out_stride, a2, b2);
  if (i + 3 < p.rows) columns.add_to(out + 3 * p.out_stride, a3, b3);
}

// Eight rows by one vector, for the last columns where a second vector would be empty.
HWY_INLINE void add_narrow_tile(const MatrixProduct& p, std::size_t i, std::size_t j, std::size_t count) {
  const Tag tag;
  const auto left_row = [&](std::size_t r) { return p.left.data + std::min(i + r, p.rows - 1) * p.left.row; };
  const double *l0 = left_row(0), *l1 = left_row(1), *l2 = left_row(2), *l3 = left_row(3), *l4 = left_row(4),
               *l5 = left_row(5), *l6 = left_row(6), *l7 = left_row(7);
  const double* right = p.right + j;
  const auto used = hn::FirstN(tag, count);
  Vector s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (std::size_t k = 0; k < p.depth; ++k, right += p.right_stride) {
    const auto r = count == hn::Lanes(tag) ? hn::LoadU(tag, right) : hn::MaskedLoad(used, tag, right);
    const std::size_t at = k * p.left.column;
    s0 = hn::Add(s0, hn::Mul(hn::Set(tag, l0[at]), r));
    s1 = hn::Add(s1, hn::Mul(hn::Set(tag, l1[at]), r));
    s2 = hn::Add(s2, hn::Mul(hn::Set(tag, l2[at]), r));
    s3 = hn::Add(s3, hn::Mul(hn::Set(tag, l3[at]), r));
    s4 = hn::Add(s4, hn::Mul(hn::Set(tag, l4[at]), r));
    s5 = hn::Add(s5, hn::Mul(hn::Set(tag, l5[at]), r));
    s6 = hn::Add(s6, hn::Mul(hn::Set(tag, l6[at]), r));
    s7 = hn::Add(s7, hn::Mul(hn::Set(tag, l7[at]), r));
  }
  double* out = p.out + i * p.out_stride + j;
  const auto add_to = [&](std::size_t row, Vector sum) {
    if (i + row >= p.rows) return;
    double* const to = out + row * p.out_stride;
    hn::BlendedStore(hn::Add(hn::MaskedLoad(used, tag, to), sum), used, tag, to);
  };
  add_to(0, s0);
  add_to(1, s1);
  add_to(2, s2);
  add_to(3, s3);
  add_to(4, s4);
  add_to(5, s5);
  add_to(6, s6);
  add_to(7, s7);
}

void add_product(const MatrixProduct& p) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t j = 0; j < p.columns; j += 2 * lanes) {
    const std::size_t rest = p.columns - j;
    if (rest <= lanes) {
      for (std::size_t i = 0; i < p.rows; i += 2 * tile_rows) add_narrow_tile(p, i, j, rest);
      return;
    }
    const Columns columns{lanes, std::min(rest, lanes), rest > lanes ? std::min(rest - lanes, lanes) : 0};
    for (std::size_t i = 0; i < p.rows; i += tile_rows) add_tile(p, i, j, columns);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(add_product);
}  // namespace detail

void add_product(const MatrixProduct& product) {
  STAROPE_DISPATCH(add_product)(product);
}

void add_symmetric_product(const double* x, const double* y, std::size_t count, std::size_t width, double* out) {
  // In strips of columns, each from the diagonal down.
  constexpr std::size_t strip = 16;
  for (std::size_t j = 0; j < width; j += strip) {
    add_product({.rows = width - j,
                 .columns = std::min(strip, width - j),
                 .depth = count,
                 .left = MatrixView{x + j, width}.transposed(),
                 .right = y + j,
                 .right_stride = width,
                 .out = out + j * width + j,
                 .out_stride = width});
  }
}

}  // namespace starope
#endif
