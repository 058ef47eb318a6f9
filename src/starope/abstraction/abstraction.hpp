#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "starope/abstraction/labels.hpp"
#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"

namespace starope {

// ---- Recipes: what to build from the data -------------------------------------------------------------------------

struct One {};        // a single abstract state
struct Time {};       // phi(s, t) = t
struct Identity {};   // every distinct state is its own abstract state
struct GridOptions {  // equal-width bins per dimension between the smallest and largest value seen; only cells seen
                      // count
  std::int64_t bins = 4;
};
enum class KMeansInit { random, plus_plus };
enum class FeatureScale { standard, none };  // standard: mean 0 and standard deviation 1 over all logged states
struct KMeansOptions {                       // CluSTAR
  std::int64_t clusters = 8;
  KMeansInit init = KMeansInit::random;  // the paper's: distinct logged states chosen at random
  FeatureScale scale = FeatureScale::standard;
  int max_iterations = 100;
  double tolerance = 1e-6;  // stop when no centroid moves by more than this share of the data's spread
  Seed seed{};
};
struct RandomCentroidsOptions {  // Voronoi cells of random points: uniform in [0,1]^d for real-valued states,
  std::int64_t clusters = 8;     // standard normal in the one-hot space of discrete states
  Seed seed{};
};
struct CentroidTable {  // given centroids, in the units of the logged states
  std::int64_t dimension = 0;
  std::vector<double> values{};  // clusters x dimension
  std::string source{};          // for messages: the file it came from
};
struct LookupTable {  // given map of discrete state ids to abstract states
  std::vector<std::int64_t> state{};
  std::vector<std::int64_t> z{};  // any integers >= 0
  std::string source{};
};

using AbstractionRecipe =
    std::variant<One, Time, Identity, GridOptions, KMeansOptions, RandomCentroidsOptions, CentroidTable, LookupTable>;

// ---- Fitting and labelling -----------------------------------------------------------------------------------------

struct FittedAbstraction {
  Labels labels;                  // of the problem it was fitted on
  std::vector<Finding> findings;  // "only 5 distinct states: 5 clusters are used instead of 8", ...
};

// Builds phi from the logs where the recipe needs that (k-means, grid), and labels every state row.
// Throws DataError or InvalidArgument where recipe and logs do not fit (centroids of another dimension, unknown id,
// ...).
FittedAbstraction fit_abstraction(const AbstractionRecipe& recipe, const Problem& problem,
                                  Threads threads = Threads::all());

// What the recipe calls itself in estimator strings and reports: "clusters=32", "phi=time", ...
std::string describe(const AbstractionRecipe& recipe);

}  // namespace starope
