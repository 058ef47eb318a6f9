#pragma once

#include <cstdint>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// For states of many 0/1 columns (pixels, or a single 1 that says which id it is) the Euclidean distance says little:
// all states are about equally far apart. What changes slowly along an episode says more. With x_t the state as a
// vector, over all pairs of successive states,
//
//   C0 = covariance of x,   C1 = symmetrized covariance of x_t and x_{t+1},
//   C1 u = lambda (C0 + 0.1 tr(C0)/dim I) u,
//
// the features are lambda_j^3 u_j' x for the largest lambda_j: directions that persist count, noise does not.
struct SlowFeatureOptions {
  std::int64_t most = 32;  // features; fewer if there are fewer columns that vary
  double ridge = 0.1;      // of the mean variance
};

// True where all columns of the logged states are 0 or 1 and there are enough of them to be called pixels.
bool are_pixels(const Dataset& data, Threads threads = Threads::all());

// x -> lambda^3 u' x: a row of numbers for every column, added up over the columns that are 1.
struct SlowColumns {
  std::int64_t features = 0;
  std::vector<double> of_column{};  // columns x features
  friend bool operator==(const SlowColumns&, const SlowColumns&) = default;
};

// The same for ids: a point for every id.
struct SlowIds {
  std::int64_t features = 0;
  std::vector<std::int64_t> ids{};  // ascending
  std::vector<double> of_id{};      // ids x features
  friend bool operator==(const SlowIds&, const SlowIds&) = default;
};

// Fitted to the logs; without features if no column varies or no episode has two steps.
SlowColumns fit_slow_columns(const Problem& problem, const SlowFeatureOptions& options = {},
                             Threads threads = Threads::all());
SlowIds fit_slow_ids(const Problem& problem, const SlowFeatureOptions& options = {}, Threads threads = Threads::all());

// The features of every state row of any logs. A column or an id that the fit has not met adds nothing: 0.
BagFeatures apply(const SlowColumns& slow, const Dataset& data, Threads threads = Threads::all());
BagFeatures apply(const SlowIds& slow, const Dataset& data);

}  // namespace starope
