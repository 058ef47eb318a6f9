// One file, compiled once per instruction set; every element goes through the same operations in the same order.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/auto/cosines.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "starope/auto/cosines.hpp"
#include "starope/base/doubles.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;

// With r = x - 2 pi q in [-pi, pi]: cos x = 1 - 2 sin^2(r/2), and the sine on [-pi/2, pi/2] is its Taylor polynomial of
// degree 17 (remainder below 5e-14).
HWY_INLINE hn::Vec<Tag> cosine(hn::Vec<Tag> x) {
  const Tag tag;
  const auto c = [&](double value) { return hn::Set(tag, value); };
  const auto q = hn::Round(hn::Mul(x, c(0.15915494309189535)));
  // 2 pi in two parts; the first has 32 bits, so that q times it is exact for q below 2^20.
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(q, c(6.2831853069365025))), hn::Mul(q, c(2.430840202602477e-10)));
  const auto h = hn::Mul(r, c(0.5));
  const auto z = hn::Mul(h, h);
  auto p = c(1.0 / 355687428096000.0);
  for (const double next : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
                            -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0}) {
    p = hn::Add(hn::Mul(p, z), c(next));
  }
  const auto sine = hn::Mul(p, h);
  return hn::Sub(c(1.0), hn::Mul(c(2.0), hn::Mul(sine, sine)));
}

HWY_INLINE void wave_vector(const WaveRow& w, std::size_t j) {
  const Tag tag;
  auto angle = hn::LoadU(tag, w.phases + j);
  for (std::size_t i = 0; i < w.features; ++i) {
    angle = hn::Add(angle, hn::Mul(hn::LoadU(tag, w.directions + i * w.count + j), hn::Set(tag, w.x[i])));
  }
  hn::StoreU(hn::Mul(cosine(angle), hn::Set(tag, 1.4142135623730951)), tag, w.out + j);
}

void wave_row(const WaveRow& w) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t j = 0;
  for (; j + lanes <= w.count; j += lanes) wave_vector(w, j);
  if (j == w.count) return;
  if (w.count >= lanes) {
    wave_vector(w, w.count - lanes);  // some of them once more, with the same result
    return;
  }
  for (; j < w.count; ++j) {
    double angle = w.phases[j];
    for (std::size_t i = 0; i < w.features; ++i) angle += w.directions[i * w.count + j] * w.x[i];
    w.out[j] = hn::GetLane(cosine(hn::Set(Tag(), angle))) * 1.4142135623730951;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(wave_row);
}

void wave_row(const WaveRow& row) {
  STAROPE_DISPATCH(wave_row)(row);
}

}  // namespace starope
#endif
