#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starope/stats/scaled.hpp"

namespace starope {

// The same sum in every replicate of a bootstrap, where each term counts its own number of times. While all terms have
// one exponent, as they nearly always do, these are plain numbers in its unit; from then on every replicate has a
// ScaledSum, because the largest term of one may be absent from another.
class ReplicateSums {
 public:
  void add(Scaled term, std::span<const double> times);  // one number of times per replicate
  ReplicateSums& operator+=(const ReplicateSums& other);
  ScaledSum at(std::size_t replicate) const;

 private:
  void split();

  int unit_ = 0;
  std::vector<double> plain_;     // empty: no term yet, or split
  std::vector<ScaledSum> apart_;  // empty: not split
};

}  // namespace starope
