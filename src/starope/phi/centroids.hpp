#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "starope/clustering/feature_scaling.hpp"
#include "starope/phi/labels.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/data/problem.hpp"

namespace starope {

struct CentroidTable {  // given centroids, in the units of the logged states
  std::int64_t dimension = 0;
  std::vector<double> values{};  // clusters x dimension
  std::string source{};          // for messages: the file it came from
};

// A state's label is its nearest centroid (Euclidean), the first on ties. There is a cell for every centroid, visited
// or not.
Labels label_centroids(const CentroidTable& table, const Problem& problem, Threads threads = Threads::all());

// The same for centroids in a scaled space.
Labels label_scaled_states(const DenseStates& states, const NearestCentroid& nearest, const FeatureScaling& scaling,
                           Threads threads = Threads::all());

}  // namespace starope
