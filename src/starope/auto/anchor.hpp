#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/cross_scores.hpp"
#include "starope/problem.hpp"

namespace starope {

// The weighted doubly robust estimator with cumulative ratios, on the values of smooth functions (docs/auto-math.md
// 4.3): it needs no model to be right, only weights that are healthy. Where it is admitted, it contradicts families
// that keep a bias.
struct AnchorScores {
  std::vector<double> scores{};  // one per given episode
  // Harmonic mean of the effective sample sizes of the steps, each counted by how much it matters.
  double ess = 0.0;
  double effective = 0.0;        // how many episodes the spread of the scores rests on
  double least_weight = 1.0;     // mean cumulative ratio, which should be 1, at eight steps: the smallest ...
  double greatest_weight = 1.0;  // ... and the greatest

  bool healthy() const noexcept {
    return ess >= 15.0 && effective >= 10.0 && least_weight >= 1.0 / 3.0 && greatest_weight <= 3.0;
  }
};

// `basis` and `values` as in CrossSides: V_k(s) = basis_k' v(s), the mean over the draws.
AnchorScores anchor_scores(const Eigen::MatrixXd& basis, const StateSide& values, const Problem& problem,
                           std::span<const std::int64_t> episodes, Threads threads = Threads::all());

}  // namespace starope
