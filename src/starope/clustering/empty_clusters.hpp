#pragma once

#include <cstdint>
#include <span>

#include "starope/clustering/assignment.hpp"
#include "starope/clustering/bit_points.hpp"
#include "starope/clustering/points.hpp"
#include "starope/types.hpp"

namespace starope {

// Gives every empty cluster, in order, the point that is farthest from the mean of its own cluster, with its exact
// duplicates; the first point on ties. Only clusters of at least two distinct points give, so that no cluster is
// emptied and no two clusters share a point; if there is none, the remaining clusters stay empty.
// Changes labels and sums (not the inertia, which belongs to the old centroids) and returns how many were filled.
std::int64_t fill_empty_clusters(const Points& points, std::span<Label> labels, ClusterSums& sums);
std::int64_t fill_empty_clusters(const BitPoints& points, std::span<Label> labels, ClusterSums& sums);

}  // namespace starope
