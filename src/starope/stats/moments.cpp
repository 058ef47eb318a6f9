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
