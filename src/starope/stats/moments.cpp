#include "starope/stats/moments.hpp"

#include <algorithm>
#include <cmath>

namespace starope {

void Moments::add(double x) noexcept {
  ++times_;
  const double before = x - mean_;
  mean_ += before / times_;
  squares_ += before * (x - mean_);
}

void Moments::add(double x, double times) noexcept {
  Moments repeated;
  repeated.times_ = times;
  repeated.mean_ = x;
  *this += repeated;
}

Moments& Moments::operator+=(const Moments& other) noexcept {
  if (other.times_ == 0.0) return *this;
  if (times_ == 0.0) return *this = other;
  // With N = n + m and d = mean_m - mean_n, the pooled mean is mean_n + d m/N, and the squared deviations from it are
  // S_n + n (d m/N)^2 + S_m + m (d n/N)^2 = S_n + S_m + d^2 n m / N   (Chan, Golub and LeVeque 1983).
  const double n = times_, m = other.times_;
  const double d = other.mean_ - mean_;
  times_ += m;
  mean_ += d * m / (n + m);
  squares_ += other.squares_ + d * d * n * m / (n + m);
  return *this;
}

double Moments::variance() const noexcept {
  return times_ < 2.0 ? 0.0 : squares_ / (times_ - 1.0);
}

double Moments::standard_error() const noexcept {
  return times_ < 1.0 ? 0.0 : std::sqrt(variance() / times_);
}

void Moments::write(ByteWriter& to) const {
  for (const double x : {times_, mean_, squares_}) to.number(x);
}

Moments Moments::read(ByteReader& from) {
  Moments result;
  result.times_ = from.finite();
  if (result.times_ < 0.0) from.fail("a negative number of observations");
  result.mean_ = from.real();
  result.squares_ = from.real();
  return result;
}

Moments moments(std::span<const double> sample) noexcept {
  Moments result;
  for (const double x : sample) result.add(x);
  return result;
}

void ScoreMoments::raise_unit(double largest) noexcept {
  if (largest == 0.0) return;
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (second_ == 0.0) unit_ = exponent;  // all scores so far are the same: there is nothing to express in it
  if (exponent <= unit_) return;
  const int by = unit_ - exponent;
  second_ = std::ldexp(second_, 2 * by);
  third_ = std::ldexp(third_, 3 * by);
  fourth_ = std::ldexp(fourth_, 4 * by);
  unit_ = exponent;
}

// Sums of powers of deviations from a mean that moves, one score or one sum at a time (Pebay 2008, equations 1.1-1.6).
void ScoreMoments::add(double x) noexcept {
  const double difference = x - plain_.mean();
  raise_unit(std::abs(difference));
  const double before = plain_.times();
  const double n = before + 1.0;
  const double d = std::ldexp(difference, -unit_);
  const double step = d / n;
  const double added = d * step * before;
  fourth_ += added * step * step * (n * n - 3.0 * n + 3.0) + 6.0 * step * step * second_ - 4.0 * step * third_;
  third_ += added * step * (n - 2.0) - 3.0 * step * second_;
  second_ += added;
  plain_.add(x);
}

void ScoreMoments::add(double x, double times) noexcept {
  ScoreMoments repeated;
  repeated.plain_.add(x, times);
  *this += repeated;
}

ScoreMoments& ScoreMoments::operator+=(const ScoreMoments& other) noexcept {
  if (other.plain_.times() == 0.0) return *this;
  if (plain_.times() == 0.0) return *this = other;
  const double difference = other.plain_.mean() - plain_.mean();
  raise_unit(std::max(std::abs(difference), other.second_ > 0.0 ? std::ldexp(0.5, other.unit_) : 0.0));
  const int by = other.unit_ - unit_;
  const double second = std::ldexp(other.second_, 2 * by), third = std::ldexp(other.third_, 3 * by);
  const double fourth = std::ldexp(other.fourth_, 4 * by);
  const double a = plain_.times(), b = other.plain_.times();
  const double n = a + b;
  const double d = std::ldexp(difference, -unit_) / n;
  fourth_ += fourth + d * d * d * d * a * b * n * (a * a - a * b + b * b) +
             6.0 * d * d * (a * a * second + b * b * second_) + 4.0 * d * (a * third - b * third_);
  third_ += third + d * d * d * a * b * n * (a - b) + 3.0 * d * (a * second - b * second_);
  second_ += second + d * d * a * b * n;
  plain_ += other.plain_;
  return *this;
}

double ScoreMoments::effective_scores() const noexcept {
  return fourth_ > 0.0 ? second_ * (second_ / fourth_) : 0.0;
}

void ScoreMoments::write(ByteWriter& to) const {
  plain_.write(to);
  to.number(unit_);
  for (const double x : {second_, third_, fourth_}) to.number(x);
}

ScoreMoments ScoreMoments::read(ByteReader& from) {
  ScoreMoments result;
  result.plain_ = Moments::read(from);
  result.unit_ = static_cast<int>(from.number_within(-2000, 2000));  // exponents of doubles
  for (double* x : {&result.second_, &result.third_, &result.fourth_}) *x = from.real();
  return result;
}

double effective_sample_size(std::span<const double> weights) noexcept {
  double largest = 0.0;
  for (const double w : weights) largest = std::max(largest, std::abs(w));
  if (largest == 0.0) return 0.0;
  double sum = 0.0, squares = 0.0;
  for (const double w : weights) {
    const double scaled = w / largest;  // the squares of huge weights would overflow
    sum += scaled;
    squares += scaled * scaled;
  }
  return sum * sum / squares;
}

double effective_scores(std::span<const double> centered) noexcept {
  double largest = 0.0;
  for (const double e : centered) largest = std::max(largest, std::abs(e));
  if (largest == 0.0) return 0.0;
  double second = 0.0, fourth = 0.0;
  for (const double e : centered) {
    const double square = (e / largest) * (e / largest);
    second += square;
    fourth += square * square;
  }
  return second * second / fourth;
}

}  // namespace starope
