#pragma once

// Behind <hwy/highway.h>: vectors of doubles for WebAssembly, which Highway 1.0 has for floats and integers only. What
// its general functions (Add, Lt, MaskedLoad, ...) need is added where they look for it, in Highway's own namespace;
// and what would compile for doubles and be wrong, as GetLane, is replaced.
#if HWY_TARGET == HWY_WASM && HWY_MAJOR == 1 && HWY_MINOR == 0

HWY_BEFORE_NAMESPACE();
namespace hwy::HWY_NAMESPACE {

template <size_t N, HWY_IF_LE128(double, N)>
HWY_API Vec128<double, N> Set(Simd<double, N, 0> /*tag*/, double value) {
  return {wasm_f64x2_splat(value)};
}

template <size_t N>
HWY_API Vec128<double, N> operator+(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_add(a.raw, b.raw)};
}
template <size_t N>
HWY_API Vec128<double, N> operator-(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_sub(a.raw, b.raw)};
}
template <size_t N>
HWY_API Vec128<double, N> operator*(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_mul(a.raw, b.raw)};
}
template <size_t N>
HWY_API Vec128<double, N> operator/(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_div(a.raw, b.raw)};
}
// Rounds twice, as Highway does for floats here: the same bits as elsewhere only where the product is exact.
template <size_t N>
HWY_API Vec128<double, N> MulAdd(Vec128<double, N> a, Vec128<double, N> b, Vec128<double, N> more) {
  return a * b + more;
}

template <size_t N>
HWY_API Mask128<double, N> operator==(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_eq(a.raw, b.raw)};
}
template <size_t N>
HWY_API Mask128<double, N> operator>(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_gt(a.raw, b.raw)};
}
template <size_t N>
HWY_API Mask128<double, N> operator<(Vec128<double, N> a, Vec128<double, N> b) {
  return {wasm_f64x2_lt(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> Round(Vec128<double, N> v) {
  return {wasm_f64x2_nearest(v.raw)};
}

template <size_t N>
HWY_API double GetLane(Vec128<double, N> v) {
  return wasm_f64x2_extract_lane(v.raw, 0);
}

template <size_t N, HWY_IF_LE128(double, N)>
HWY_API Vec128<double, N> PromoteTo(Simd<double, N, 0> /*tag*/, Vec128<float, N> v) {
  return {wasm_f64x2_promote_low_f32x4(v.raw)};
}

// Half a vector of floats, as PromoteTo wants it, without a way through the stack.
HWY_API Vec128<float, 2> LoadU(Simd<float, 2, 0> /*tag*/, const float* HWY_RESTRICT from) {
  return {wasm_v128_load64_zero(from)};
}

}  // namespace hwy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
