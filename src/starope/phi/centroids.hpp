#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct CentroidTable {  // given centroids, in the units of the logged states
  std::int64_t dimension = 0;
  std::vector<double> values{};  // clusters x dimension
  std::string source{};          // for messages: the file it came from
  friend bool operator==(const CentroidTable&, const CentroidTable&) = default;
};

// A state's label is its nearest centroid (Euclidean), the first on ties. There is a cell for every centroid, visited
// or not.
FittedAbstraction fit_centroids(const CentroidTable& table, const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
