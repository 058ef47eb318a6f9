#pragma once

#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Coordinate j of centroid k is a function of (seed, k, j), so more clusters leave the first ones where they are.
FittedAbstraction fit_random_centroids(const RandomCentroids& options, const Problem& problem,
                                       Threads threads = Threads::all());

}  // namespace starope
