#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/clustering/bit_points.hpp"
#include "starope/clustering/points.hpp"
#include "starope/phi.hpp"
#include "starope/types.hpp"

namespace starope {

// `clusters` distinct points to start from, or all distinct points if there are fewer: rows of the result. Weights are
// not used: pass points without.
std::vector<double> initial_centroids(KMeansInit init, const Points& points, std::int64_t clusters, Seed seed,
                                      Threads threads = Threads::all());

// The same for rows of bits, written out as numbers: exactly the rows chosen from the dense points, because squared
// distances of bits are whole numbers.
std::vector<double> initial_centroids(KMeansInit init, const BitPoints& points, std::int64_t clusters, Seed seed,
                                      Threads threads = Threads::all());

}  // namespace starope
