#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "starope/base/bytes.hpp"

namespace starope {

// Count, mean and squared deviations of a sample; adds observations and merges with others of its kind.
class Moments {
 public:
  void add(double x) noexcept;
  void add(double x, double times) noexcept;  // as if x came so often; a fraction of a time, too
  Moments& operator+=(const Moments& other) noexcept;
  friend bool operator==(const Moments&, const Moments&) = default;

  std::int64_t count() const noexcept { return std::llround(times_); }
  double times() const noexcept { return times_; }  // the count, unless some came a fraction of a time
  double mean() const noexcept { return mean_; }
  double variance() const noexcept;        // divided by count - 1; 0 for fewer than two observations
  double standard_error() const noexcept;  // of the mean

  void write(ByteWriter& to) const;
  static Moments read(ByteReader& from);

 private:
  double times_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // sum of squared deviations from the mean
};

Moments moments(std::span<const double> sample) noexcept;

// The same with the third and fourth powers of the deviations: all that is needed of scores whose number is too large
// to keep them. Powers of huge scores would overflow: they are in units of a power of two.
class ScoreMoments {
 public:
  void add(double x) noexcept;
  void add(double x, double times) noexcept;
  ScoreMoments& operator+=(const ScoreMoments& other) noexcept;
  friend bool operator==(const ScoreMoments&, const ScoreMoments&) = default;

  const Moments& plain() const noexcept { return plain_; }  // the bits of moments(), if added in the same order
  double effective_scores() const noexcept;                 // of the deviations from the mean; 0 if there are none

  void write(ByteWriter& to) const;
  static ScoreMoments read(ByteReader& from);

 private:
  void raise_unit(double largest) noexcept;

  Moments plain_;
  int unit_ = 0;                                      // what follows is in units of 2^unit_ ...
  double second_ = 0.0, third_ = 0.0, fourth_ = 0.0;  // ... to the power of each
};

// (sum x)^2 / sum x^2: how many equal weights carry the information of these (Kish 1965). 0 if all weights are 0.
double effective_sample_size(std::span<const double> weights) noexcept;

// The same for the squares of centered scores, (sum e^2)^2 / sum e^4: how many episodes the variance estimate rests on.
double effective_scores(std::span<const double> centered) noexcept;

}  // namespace starope
