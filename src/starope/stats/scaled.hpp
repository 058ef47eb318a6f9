#pragma once

#include <algorithm>
#include <cmath>

#include "starope/base/bytes.hpp"

namespace starope {

// A double with a far larger range: mantissa * 2^(256 * exponent). The product of thousands of importance ratios leaves
// the range of double although only the quotients of such products matter; here it keeps all its digits, because
// rescaling by a power of two is exact. While all factors are moderate the exponent stays 0 and nothing is rescaled.
struct Scaled {
  double mantissa = 1.0;
  int exponent = 0;

  static constexpr double big = 0x1.0p+128;
  static constexpr double small = 0x1.0p-128;
  static constexpr double up = 0x1.0p+256;
  static constexpr double down = 0x1.0p-256;

  friend Scaled operator*(Scaled a, Scaled b) noexcept {
    // |mantissa| stays in [2^-128, 2^128] (or is 0), so a product stays in [2^-256, 2^256].
    Scaled product{a.mantissa * b.mantissa, a.exponent + b.exponent};
    const double size = std::abs(product.mantissa);
    if (size > big) {
      product.mantissa *= down;
      ++product.exponent;
    } else if (size < small) {
      if (product.mantissa == 0.0) return {0.0, 0};
      product.mantissa *= up;
      --product.exponent;
    }
    return product;
  }

  // A double, brought into range. What is not finite stays as it is, and makes everything that it enters not finite.
  static Scaled of(double x) noexcept {
    Scaled result{x, 0};
    if (x == 0.0 || !std::isfinite(x)) return result;
    while (std::abs(result.mantissa) > big) {
      result.mantissa *= down;
      ++result.exponent;
    }
    while (std::abs(result.mantissa) < small) {
      result.mantissa *= up;
      --result.exponent;
    }
    return result;
  }

  // mantissa * 2^(256 * (exponent - scale)): this number measured in units of 2^(256 * scale).
  double relative_to(int scale) const noexcept {
    if (exponent == scale) return mantissa;
    const int steps = exponent - scale;
    if ((steps < -5 && std::isfinite(mantissa)) || mantissa == 0.0) return 0.0;  // below the smallest double
    constexpr int most = 16;  // 2^4096 times the smallest double is infinite; exponents that were read may be any
    return std::ldexp(mantissa, 256 * std::clamp(steps, -most, most));
  }

  double to_double() const noexcept { return relative_to(0); }
};

// A sum of scaled numbers, in the unit of the largest exponent met so far.
struct ScaledSum {
  double sum = 0.0;
  int scale = 0;
  bool empty = true;  // no non-zero term yet: the first one sets the scale

  void add(Scaled term) noexcept {
    if (term.mantissa == 0.0) return;
    raise_to(term.exponent);
    sum += term.relative_to(scale);
  }
  ScaledSum& operator+=(const ScaledSum& other) noexcept {
    if (other.empty) return *this;
    raise_to(other.scale);
    sum += Scaled{other.sum, other.scale}.relative_to(scale);
    return *this;
  }
  double to_double() const noexcept { return Scaled{sum, scale}.relative_to(0); }

  // a / b, where the common unit cancels.
  friend double ratio(const ScaledSum& a, const ScaledSum& b) noexcept {
    return Scaled{a.sum / b.sum, a.scale - b.scale}.relative_to(0);
  }
  friend bool operator==(const ScaledSum&, const ScaledSum&) = default;

  void write(ByteWriter& to) const {
    to.flag(empty);
    to.number(sum);
    to.number(scale);
  }
  static ScaledSum read(ByteReader& from) {
    constexpr int most = 100'000'000;  // far beyond the products of any episode
    ScaledSum result;
    result.empty = from.flag();
    result.sum = from.finite();
    result.scale = static_cast<int>(from.number_within(-most, most));
    return result;
  }

 private:
  void raise_to(int exponent) noexcept {
    if (empty) {
      scale = exponent;
      empty = false;
    } else if (exponent > scale) {
      sum = Scaled{sum, scale}.relative_to(exponent);
      scale = exponent;
    }
  }
};

}  // namespace starope
