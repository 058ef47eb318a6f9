#pragma once

#include <cstdint>
#include <vector>

#include "starope/clustering/bit_points.hpp"
#include "starope/clustering/points.hpp"
#include "starope/types.hpp"

namespace starope {

enum class EmptyClusters {
  keep,    // a cluster without points keeps its centroid
  repair,  // it gets the point that is farthest from its own centroid
};

struct LloydOptions {
  int max_iterations = 100;
  double tolerance = 1e-4;  // stop when no centroid moves by more than this share of the points' spread
  EmptyClusters empty = EmptyClusters::repair;
  bool inertia = true;  // say it for every iteration
  Threads threads = Threads::all();
};

struct LloydFit {
  std::vector<double> centroids{};  // clusters x dimension
  std::vector<double> inertia{};    // per iteration: sum of weight * squared distance from the nearest centroid, before
                                    // the centroids move; never increases. Empty unless wanted
  int iterations = 0;
  bool converged = false;
};

// Lloyd's algorithm on any dense matrix: label every point with its nearest centroid, move every centroid to the mean
// of its points, repeat. The spread is the root mean squared distance of the points from their mean. The same bits for
// any number of threads.
LloydFit lloyd(const Points& points, std::vector<double> initial_centroids, const LloydOptions& options = {});

// The same on rows of bits: the clusters of the dense algorithm, up to the rounding of the inertia and of the spread,
// in time proportional to the set bits. NearestBits labels further rows.
LloydFit lloyd(const BitPoints& points, std::vector<double> initial_centroids, const LloydOptions& options = {});

}  // namespace starope
