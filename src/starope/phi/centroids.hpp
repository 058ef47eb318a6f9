#pragma once

#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

// A state's label is its nearest centroid (Euclidean), the first on ties. There is a cell for every centroid, visited
// or not.
FittedAbstraction fit_centroids(const CentroidTable& table, const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
