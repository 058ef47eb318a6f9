#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/arp/arp_model.hpp"
#include "starope/types.hpp"

namespace starope {

// The exact value of an abstract reward process and its derivatives in the sums it was made of.
//
// Horizon none: V = (I - g P)^-1 R and d = (I - g P')^-1 eta.  Horizon H: V_H = 0, V_k = R + g P V_{k+1};
// d_0 = eta, d_{k+1} = g P' d_k; then V below is V_0 and d the sum of the d_k. In both cases J = eta . V = d . R.
struct ArpSolution {
  double value = 0.0;            // J
  std::vector<double> values{};  // V: what is still to come, from each cell at the start
  std::vector<double> visits{};  // d: expected discounted visits
  // dJ/dP(z, z'), on the pattern of P: g d(z) V(z'), or g sum_k d_k(z) V_{k+1}(z'); and its mean over the row, with P.
  std::vector<double> slope{};
  std::vector<double> mean_slope{};
  // The (discounted) probability of entering a cell about which the target policy's data say nothing, and those cells.
  double unsupported = 0.0;
  std::vector<Label> unsupported_cells{};
};

// Throws DegenerateModel if gamma is 1, there is no horizon, and cells can be reached from which no exit can be.
ArpSolution solve(const ArpModel& model, Discount discount, std::optional<Horizon> horizon);

}  // namespace starope
