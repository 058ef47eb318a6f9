#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/data/source.hpp"
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

// The same for logs that come in blocks. All of them are looked at if they have at most `most_steps` steps, and the
// abstraction is then the one that fit_abstraction gives; else a sample of whole episodes is (sample_episodes), and
// states that it has not met have a cell of their own, the last. phi=time only needs the lengths, and sees all of them.
struct PhiFit {
  Phi phi{};
  std::vector<Finding> findings{};
};
inline constexpr std::int64_t fit_on_at_most = 4'000'000;  // steps
PhiFit fit_phi(const AbstractionRecipe& recipe, const Source& source, const ProblemOptions& question,
               Threads threads = Threads::all(), std::int64_t most_steps = fit_on_at_most);

// What the recipe calls itself in estimator strings and reports: "clusters=32", "phi=time", ... Options that have their
// default value are left out.
std::string describe(const AbstractionRecipe& recipe);

}  // namespace starope
