#pragma once

// phi: from logged states to a small number of abstract states, the cells. A recipe says how; fitted to logs it becomes
// a value that labels any logs.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// ---- Recipes -------------------------------------------------------------------------------------------------------

struct One {  // a single abstract state
  friend bool operator==(One, One) = default;
};
struct Time {  // phi(s, t) = t
  friend bool operator==(Time, Time) = default;
};
struct Identity {  // every distinct state is its own abstract state
  friend bool operator==(Identity, Identity) = default;
};

// Equal-width bins in each dimension between the smallest and the largest value that counts; a value outside (after the
// horizon, or a final state) is in the nearest bin, and a dimension that never varies has one bin. Only cells in which
// there is a state are numbered, in lexicographic order of their bins.
struct Grid {
  std::int64_t bins = 4;  // per dimension
  friend bool operator==(const Grid&, const Grid&) = default;
};

enum class KMeansInit {
  random,     // distinct points chosen at random: a point that occurs twice as often is twice as likely
  plus_plus,  // k-means++: each next one with probability proportional to the squared distance from the nearest so far
};
enum class FeatureScale { standard, none };  // standard: mean 0 and standard deviation 1 over all counted states

struct Clusters {  // k-means: CluSTAR
  std::int64_t clusters = 8;
  KMeansInit init = KMeansInit::random;         // the paper's: distinct logged states chosen at random
  FeatureScale scale = FeatureScale::standard;  // features that are stored as bits are always used as they are
  int max_iterations = 300;
  double tolerance = 1e-4;  // stop when no centroid moves by more than this share of the data's spread
  Seed seed{};
  bool inertia = true;  // report it; without, iterations take less time
  friend bool operator==(const Clusters&, const Clusters&) = default;
};

struct RandomCentroids {      // Voronoi cells of random points: uniform in [0,1]^d for states with features,
  std::int64_t clusters = 8;  // standard normal in the one-hot space of discrete states
  Seed seed{};
  friend bool operator==(const RandomCentroids&, const RandomCentroids&) = default;
};

struct CentroidTable {  // given centroids, in the units of the logged states
  std::int64_t dimension = 0;
  std::vector<double> values{};  // clusters x dimension
  std::string source{};          // for messages: the file it came from
  friend bool operator==(const CentroidTable&, const CentroidTable&) = default;
};

struct LookupTable {  // given map of discrete state ids to abstract states
  std::vector<std::int64_t> state{};
  std::vector<std::int64_t> z{};  // any integers >= 0
  std::string source{};
  friend bool operator==(const LookupTable&, const LookupTable&) = default;
};

// What to build from the data.
using AbstractionRecipe =
    std::variant<One, Time, Identity, Grid, Clusters, RandomCentroids, CentroidTable, LookupTable>;

// What the recipe calls itself in estimator strings and reports: "clusters=32", "phi=time", ... Options that have their
// default value are left out.
STAROPE_API std::string describe(const AbstractionRecipe& recipe);

// ---- Fitted --------------------------------------------------------------------------------------------------------

// phi applied to every row of a data set's state table: computed once, shared by all clips, families and resamples.
struct Labels {
  std::int64_t cells = 0;
  std::vector<Label> of_row{};  // one per state row: the steps, then the final states
  Fingerprint phi{};            // of the abstraction; statistics of different ones do not merge
  friend bool operator==(const Labels&, const Labels&) = default;
};

namespace detail {
struct PhiRule;  // how the cell of a state is found
}

// A fitted abstraction: a value that labels the states of any logs, can be written down, and knows itself again.
class STAROPE_API Phi {
 public:
  Phi();  // one cell
  explicit Phi(std::shared_ptr<const detail::PhiRule> rule) : rule_(std::move(rule)) {}

  const detail::PhiRule& rule() const noexcept { return *rule_; }
  std::int64_t cells() const;

  // The same with one more cell, the last, for states that the fit has not met: for an abstraction that was fitted on a
  // sample of the logs. Without it, such a state is a DataError `unknown_state`.
  Phi with_elsewhere() const;
  bool has_elsewhere() const noexcept { return elsewhere_; }

  // The label of every row of the state table. DataError or InvalidArgument if these logs have no states, states of
  // another kind or of another dimension.
  Labels label(const Dataset& data, Threads threads = Threads::all()) const;

  Fingerprint fingerprint() const;
  Bytes to_bytes() const;
  static Phi from_bytes(std::span<const std::byte> bytes);  // DataError `bad_bytes`

  friend STAROPE_API bool operator==(const Phi& a, const Phi& b);

 private:
  std::shared_ptr<const detail::PhiRule> rule_;
  bool elsewhere_ = false;
};

// What a fit to logs gives: the abstraction, and its labels of these logs, which a fit knows anyway.
struct FittedAbstraction {
  std::optional<Phi> phi{};         // none: cells that are known for the rows of these logs only
  Labels labels{};                  // phi.label(the logs)
  std::vector<Finding> findings{};  // "only 5 distinct states: 5 clusters are used instead of 8", ...
};

// Above so many steps k-means and grids are fitted to a sample of whole episodes (sample_episodes), in memory as well
// as elsewhere: a million states place centroids as well as all of them do.
inline constexpr std::int64_t fit_on_at_most = 1'000'000;

// Builds phi from the logs where the recipe needs that (k-means, grid), and labels every state row.
// Throws DataError or InvalidArgument where recipe and logs do not fit (centroids of another dimension, unknown id,
// ...).
STAROPE_API FittedAbstraction fit_abstraction(const AbstractionRecipe& recipe, const Problem& problem,
                                              Threads threads = Threads::all(),
                                              std::int64_t most_steps = fit_on_at_most);

// The same for logs that come in blocks: the abstraction that fit_abstraction gives. States of a grid that the sample
// has not met have a cell of their own, the last. phi=time only needs the lengths, phi=identity the ids: these see all
// logs.
struct PhiFit {
  Phi phi{};
  std::vector<Finding> findings{};
};
STAROPE_API PhiFit fit_phi(const AbstractionRecipe& recipe, const Source& source, const ProblemOptions& question,
                           Threads threads = Threads::all(), std::int64_t most_steps = fit_on_at_most);

}  // namespace starope
