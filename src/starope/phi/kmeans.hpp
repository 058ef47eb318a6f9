#pragma once

#include <cstdint>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/clustering/kmeans_init.hpp"
#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct KMeansOptions {  // CluSTAR
  std::int64_t clusters = 8;
  KMeansInit init = KMeansInit::random;         // the paper's: distinct logged states chosen at random
  FeatureScale scale = FeatureScale::standard;  // features that are stored as bits are always used as they are
  int max_iterations = 300;
  double tolerance = 1e-4;  // stop when no centroid moves by more than this share of the data's spread
  Seed seed{};
  bool inertia = true;  // report it; without, iterations take less time
  friend bool operator==(const KMeansOptions&, const KMeansOptions&) = default;
};

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
KMeansFit fit_kmeans(const Problem& problem, const KMeansOptions& options = {}, Threads threads = Threads::all());

}  // namespace starope
