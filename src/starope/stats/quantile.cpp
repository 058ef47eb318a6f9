#include "starope/stats/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double log_sqrt_two_pi = 0.91893853320467274178;

// log( Gamma(a + 1/2) / Gamma(a) ). The difference of two logarithms of a billion has no digits left where a is large;
// there the asymptotic series is exact to the last one.
double log_gamma_ratio(double a) {
  if (a < 30.0) return std::lgamma(a + 0.5) - std::lgamma(a);
  const double x = 1.0 / a;
  return 0.5 * std::log(a) - x * (1.0 / 8.0 - x * x * (1.0 / 192.0 - x * x * (1.0 / 640.0 - x * x * 17.0 / 14336.0)));
}

// The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated forward by Lentz's method. It
// converges quickly for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto nonzero = [](double y) { return std::abs(y) < tiny ? tiny : y; };
  double c = 1.0;
  double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m < 10000; ++m) {
    const double k = m;
    for (const double step : {k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)),
                              -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))}) {
      d = 1.0 / nonzero(1.0 + step * d);
      c = nonzero(1.0 + step / c);
      fraction *= c * d;
    }
    if (std::abs(c * d - 1.0) < epsilon) break;
  }
  return fraction;
}

// P(T > t) and the density at t >= 0 of Student's distribution: the tail is half of I_x(v/2, 1/2), x = v / (v + t^2).
struct StudentTail {
  double freedom;
  double log_scale = log_gamma_ratio(0.5 * freedom) - 0.5 * std::log(freedom * M_PI);

  double density(double t) const { return std::exp(log_scale - 0.5 * (freedom + 1.0) * std::log1p(t / freedom * t)); }
  double operator()(double t) const {
    const double a = 0.5 * freedom;
    const double square = t * t;
    const double x = freedom / (freedom + square);
    // x^a (1-x)^(1/2) / B(a, 1/2) = t f(t), with f the density.
    const double front = density(t) * t;
    if (x < (a + 1.0) / (a + 2.5)) return 0.5 * front * beta_fraction(a, 0.5, x) / a;
    return 0.5 - front * beta_fraction(0.5, a, square / (freedom + square));
  }
};

// The t >= 0 with tail(t) = probability, for a decreasing tail: Newton's steps inside a bracket that only shrinks.
template <class Tail>
double invert(const Tail& tail, double probability, double start) {
  double low = 0.0, high = std::max(1.0, 2.0 * start);
  while (tail(high) > probability) {
    low = high;
    high *= 4.0;
    if (!std::isfinite(high)) return std::numeric_limits<double>::infinity();
  }
  double t = std::clamp(start, low, high);
  for (int i = 0; i < 200; ++i) {
    const double excess = tail(t) - probability;
    (excess > 0.0 ? low : high) = t;
    // Newton on log(tail): far out the tail is a power or an exponential, which its logarithm makes nearly straight.
    double next = t + std::log1p(excess / probability) * probability * (1.0 + excess / probability) / tail.density(t);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 2.0 * epsilon * t) return next;
    t = next;
  }
  return t;
}

struct NormalTail {
  double density(double z) const { return std::exp(-0.5 * z * z - log_sqrt_two_pi); }
  double operator()(double z) const { return 0.5 * std::erfc(z / M_SQRT2); }
};

}  // namespace

double normal_quantile(double probability) {
  STAROPE_ASSERT(probability > 0.0 && probability < 1.0);
  if (probability == 0.5) return 0.0;
  const double tail = std::min(probability, 1.0 - probability);
  const double z = invert(NormalTail{}, tail, std::sqrt(-2.0 * std::log(2.0 * tail)));
  return probability < 0.5 ? -z : z;
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  STAROPE_ASSERT(probability > 0.0 && probability < 1.0 && degrees_of_freedom > 0.0);
  if (probability == 0.5) return 0.0;
  if (degrees_of_freedom > 1e6) {
    // Nearly normal: the terms left out of this expansion in 1/v (Cornish and Fisher 1937) are below 1e-17.
    const double z = normal_quantile(probability), v = degrees_of_freedom, s = z * z;
    return z + z * (s + 1.0) / (4.0 * v) + z * ((5.0 * s + 16.0) * s + 3.0) / (96.0 * v * v);
  }
  const double tail = std::min(probability, 1.0 - probability);
  const double t = invert(StudentTail{degrees_of_freedom}, tail, std::abs(normal_quantile(probability)));
  return probability < 0.5 ? -t : t;
}

double student_t_probability(double t, double degrees_of_freedom) {
  STAROPE_ASSERT(degrees_of_freedom > 0.0 && !std::isnan(t));
  if (t == 0.0) return 0.5;
  const double size = std::abs(t);
  double tail = 0.0;
  if (std::isfinite(size * size)) {
    // Nearly normal from a million degrees of freedom on: the terms left out of this expansion are below 1e-12.
    const double v = degrees_of_freedom;
    tail =
        v > 1e6 ? NormalTail{}(size * (1.0 - 0.25 / v) / std::sqrt(1.0 + 0.5 * size / v * size)) : StudentTail{v}(size);
  }
  return t > 0.0 ? 1.0 - tail : tail;
}

}  // namespace starope
