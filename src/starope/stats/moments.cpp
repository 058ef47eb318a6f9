#include "starope/stats/moments.hpp"

#include <algorithm>
#include <cmath>

namespace starope {

void Moments::add(double x) noexcept {
  ++count_;
  const double before = x - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (x - mean_);
}

Moments& Moments::operator+=(const Moments& other) noexcept {
  if (other.count_ == 0) return *this;
  if (count_ == 0) return *this = other;
  // With N = n + m and d = mean_m - mean_n, the pooled mean is mean_n + d m/N, and the squared deviations from it are
  // S_n + n (d m/N)^2 + S_m + m (d n/N)^2 = S_n + S_m + d^2 n m / N   (Chan, Golub and LeVeque 1983).
  const auto n = static_cast<double>(count_);
  const auto m = static_cast<double>(other.count_);
  const double d = other.mean_ - mean_;
  count_ += other.count_;
  mean_ += d * m / (n + m);
  squares_ += other.squares_ + d * d * n * m / (n + m);
  return *this;
}

double Moments::variance() const noexcept {
  return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1);
}

double Moments::standard_error() const noexcept {
  return count_ < 1 ? 0.0 : std::sqrt(variance() / static_cast<double>(count_));
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
  const auto before = static_cast<double>(plain_.count());
  const double n = before + 1.0;
  const double d = std::ldexp(difference, -unit_);
  const double step = d / n;
  const double added = d * step * before;
  fourth_ += added * step * step * (n * n - 3.0 * n + 3.0) + 6.0 * step * step * second_ - 4.0 * step * third_;
  third_ += added * step * (n - 2.0) - 3.0 * step * second_;
  second_ += added;
  plain_.add(x);
}

ScoreMoments& ScoreMoments::operator+=(const ScoreMoments& other) noexcept {
  if (other.plain_.count() == 0) return *this;
  if (plain_.count() == 0) return *this = other;
  const double difference = other.plain_.mean() - plain_.mean();
  raise_unit(std::max(std::abs(difference), other.second_ > 0.0 ? std::ldexp(0.5, other.unit_) : 0.0));
  const int by = other.unit_ - unit_;
  const double second = std::ldexp(other.second_, 2 * by), third = std::ldexp(other.third_, 3 * by);
  const double fourth = std::ldexp(other.fourth_, 4 * by);
  const auto a = static_cast<double>(plain_.count()), b = static_cast<double>(other.plain_.count());
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

double effective_scores(std::span<const double> centred) noexcept {
  double largest = 0.0;
  for (const double e : centred) largest = std::max(largest, std::abs(e));
  if (largest == 0.0) return 0.0;
  double second = 0.0, fourth = 0.0;
  for (const double e : centred) {
    const double square = (e / largest) * (e / largest);
    second += square;
    fourth += square * square;
  }
  return second * second / fourth;
}

}  // namespace starope
