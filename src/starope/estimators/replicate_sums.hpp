#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starope/stats/scaled.hpp"

namespace starope {

// The same sum in every replicate of a bootstrap, where each term counts its own number of times. Terms of one exponent
// are plain numbers in its unit. Only where exponents are many has every replicate a ScaledSum, because the largest
// term of one may be absent from another.
class ReplicateSums {
 public:
  void add(Scaled term, std::span<const double> times);  // one number of times per replicate
  ReplicateSums& operator+=(const ReplicateSums& other);
  ScaledSum at(std::size_t replicate) const;

  // Adds terms[e][s] to sum s as often as times[e] says, for many e at once: a product of matrices.
  static void add_all(std::span<ReplicateSums* const> sums, std::span<const Scaled> terms,
                      std::span<const double> times, std::size_t replicates);

 private:
  struct Level {
    int unit = 0;
    std::vector<double> sums{};
  };

  bool empty() const noexcept { return levels_.empty() && apart_.empty(); }
  // The sums in this unit; null: exponents are too many by now, and replicates are apart.
  double* level(int unit, std::size_t replicates);
  void split(std::size_t replicates);

  std::vector<Level> levels_;     // the largest unit first; none: no term yet, or apart
  std::vector<ScaledSum> apart_;  // empty: not apart
};

}  // namespace starope
