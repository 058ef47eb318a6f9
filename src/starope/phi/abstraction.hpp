#pragma once

#include <string>
#include <variant>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/phi/centroids.hpp"
#include "starope/phi/grid.hpp"
#include "starope/phi/kmeans.hpp"
#include "starope/phi/lookup.hpp"
#include "starope/phi/phi.hpp"
#include "starope/phi/random_centroids.hpp"
#include "starope/phi/simple.hpp"

namespace starope {

// What to build from the data.
using AbstractionRecipe =
    std::variant<One, Time, Identity, GridOptions, KMeansOptions, RandomCentroidsOptions, CentroidTable, LookupTable>;

// Builds phi from the logs where the recipe needs that (k-means, grid), and labels every state row.
// Throws DataError or InvalidArgument where recipe and logs do not fit (centroids of another dimension, unknown id,
// ...).
FittedAbstraction fit_abstraction(const AbstractionRecipe& recipe, const Problem& problem,
                                  Threads threads = Threads::all());

// What the recipe calls itself in estimator strings and reports: "clusters=32", "phi=time", ... Options that have their
// default value are left out.
std::string describe(const AbstractionRecipe& recipe);

}  // namespace starope
