#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/types.hpp"

namespace starope {

struct OneHotOptions {
  std::int64_t clusters = 8;
  int max_iterations = 100;
  double tolerance = 1e-4;  // as in LloydOptions
  Seed seed{};
};

struct OneHotFit {
  std::int64_t clusters = 0;  // fewer than asked for if fewer states were visited
  std::vector<Label> cluster_of_code{};
  std::vector<double> inertia{};  // per iteration
  int iterations = 0;
  bool converged = false;
};

// k-means of discrete states as unit vectors e_s, each counted `visits[s]` times (0: it only gets a label), without
// ever writing down such a vector. The clusters start at distinct states drawn at random by their visits, which is
// also what k-means++ does here: all unvisited choices are equally far away.
OneHotFit fit_one_hot(std::span<const std::int64_t> visits, const OneHotOptions& options);

}  // namespace starope
