#pragma once

#include <cstdint>
#include <span>

namespace starope {

// Count, mean and squared deviations of a sample; adds observations and merges with others of its kind.
class Moments {
 public:
  void add(double x) noexcept;
  Moments& operator+=(const Moments& other) noexcept;

  std::int64_t count() const noexcept { return count_; }
  double mean() const noexcept { return mean_; }
  double variance() const noexcept;        // divided by count - 1; 0 for fewer than two observations
  double standard_error() const noexcept;  // of the mean

 private:
  std::int64_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // sum of squared deviations from the mean
};

Moments moments(std::span<const double> sample) noexcept;

// (sum x)^2 / sum x^2: how many equal weights carry the information of these (Kish 1965). 0 if all weights are 0.
double effective_sample_size(std::span<const double> weights) noexcept;

// The same for the squares of centred scores, (sum e^2)^2 / sum e^4: how many episodes the variance estimate rests on.
double effective_scores(std::span<const double> centred) noexcept;

}  // namespace starope
