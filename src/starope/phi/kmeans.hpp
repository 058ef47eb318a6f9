#pragma once

#include <cstdint>
#include <vector>

#include "starope/clustering/feature_scaling.hpp"
#include "starope/finding.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

struct KMeansFit {
  std::int64_t clusters = 0;  // fewer than asked for if there are fewer distinct states
  // States with features: clusters x dimension, in the units of the logs and where distances are measured. Discrete
  // states have neither: a centroid would have a coordinate for every state, the share of the cluster's visits it has.
  std::vector<double> centroids{};
  std::vector<double> scaled_centroids{};
  FeatureScaling scaling{};
  std::vector<double> inertia{};  // per iteration, in the scaled space; never increases. Empty unless wanted
  int iterations = 0;
  bool converged = false;
  Phi phi{};        // the nearest centroid in the scaled space, or a table over ids
  Labels labels{};  // of every row
  std::vector<Finding> findings{};
};

// k-means on the states that count (s_0 .. s_{T-1} of every episode, up to the horizon). Discrete states without
// features are clustered as one-hot vectors, with the finding that this says next to nothing.
KMeansFit fit_kmeans(const Problem& problem, const Clusters& options = {}, Threads threads = Threads::all());

// The same for states with features that are handed over, one row per state that counts: they are scaled where they
// lie, so that the largest logs of a fit are held once. There are no labels.
KMeansFit fit_kmeans(std::vector<double> features, std::int64_t dimension, const Clusters& options = {},
                     Threads threads = Threads::all());

}  // namespace starope
