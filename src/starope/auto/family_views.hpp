#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/cell_family.hpp"
#include "starope/auto/feature_views.hpp"
#include "starope/estimators.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

struct FamilyOptions {
  std::vector<std::int64_t> ladder{};  // empty: chosen by the size of the data
  int seeds = 6;
  History history = History::automatic;
  Seed seed{};
  Threads threads = Threads::all();
  bool keep_models = false;  // for episodes that are not among these
};

// What the cells measure distances in.
struct Reference {
  FeatureMap map{};
  Views views{};  // of the cells; waves and traces see the first
  // The first view of these logs: the features that it was made of, or others.
  std::shared_ptr<const BagFeatures> features{};
  bool rotated = false;
};

// `states` has to outlive it. The reference cells: in the plain metric, or, where k-means cannot cut every independent
// column into two or three parts, in the metric of what values depend on; half of the seeds by each way to find it.
Reference make_reference(const BagFeatures& states, const Problem& problem, const FamilyOptions& options);

// Cells in the other metric, as a family of their own: always beside rotated cells, and beside plain ones where finer
// cells say something else.
std::optional<Views> other_views(const BagFeatures& states, const Reference& reference, const CellFamily& cells,
                                 const Problem& problem, const FamilyOptions& options);

// Whether ids may be cells themselves, as a family beside cells that ids share: there are visits enough for each of
// them, and the coarse cells do not tell them all apart.
bool ids_are_cells(const BagFeatures& states, const Problem& problem, const FamilyOptions& options);
// How the states of other logs are seen there: as they are.
Views views_of_ids();

// Two memories, one longer than the other.
Views traced_views(const Reference& reference, const Problem& problem);
// The state and the step before it.
Views lagged_views(const Reference& reference, const Problem& problem, const FamilyOptions& options);

// The bag of some views, with the ladder of the options or that of the logs.
Bag make_bag(const Views& views, const BagFeatures& states, const Problem& problem, const FamilyOptions& options,
             const KnownFeatures* known = nullptr);

}  // namespace starope
