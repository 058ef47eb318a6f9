#pragma once

#include <cstdint>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct RandomCentroidsOptions {  // Voronoi cells of random points: uniform in [0,1]^d for states with features,
  std::int64_t clusters = 8;     // standard normal in the one-hot space of discrete states
  Seed seed{};
  friend bool operator==(const RandomCentroidsOptions&, const RandomCentroidsOptions&) = default;
};

// Coordinate j of centroid k is a function of (seed, k, j), so more clusters leave the first ones where they are.
FittedAbstraction fit_random_centroids(const RandomCentroidsOptions& options, const Problem& problem,
                                       Threads threads = Threads::all());

}  // namespace starope
