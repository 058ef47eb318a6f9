#include "starope/auto/family_views.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/auto/ladder.hpp"
#include "starope/auto/value_metric.hpp"

namespace starope {
namespace {

constexpr std::uint32_t cells_bag = 0, lags_bag = 1, slow_traces_bag = 2, fast_traces_bag = 3, rotated_bag = 4,
                        stretched_bag = 5, ids_bag = 6;
constexpr double fast_fading = 0.6, slow_fading = 0.8;

// The features of numbers can be stretched and rotated; slow features and ids are made to measure anyway.
bool can_rotate(const BagFeatures& features) {
  return features.dimension > 1 && features.point_of_row.empty() && features.prefixes.empty();
}

std::vector<std::int64_t> ladder_of(const Problem& problem, const FamilyOptions& options) {
  return options.ladder.empty() ? default_ladder(problem.steps()) : usable_levels(options.ladder, problem.steps());
}

Views plain_views(const FamilyOptions& options) {
  return {{.seeds = options.seeds, .which = cells_bag}};
}

FeatureView in_metric(const BagFeatures& states, const Problem& problem, MetricKind kind, Seed seed) {
  return {.metric = fit_metric(states, problem, kind, seed).transform};
}

}  // namespace

Bag make_bag(const Views& views, const BagFeatures& states, const Problem& problem, const FamilyOptions& options,
             const KnownFeatures* known) {
  return make_bag(views, states, problem, BagOptions{.ladder = ladder_of(problem, options), .seed = options.seed},
                  options.threads, known);
}

Reference make_reference(const BagFeatures& states, const Problem& problem, const FamilyOptions& options) {
  Reference result{.views = plain_views(options)};
  result.rotated = can_rotate(states) && std::pow(2.5, effective_dimension(states, problem)) >
                                             static_cast<double>(ladder_of(problem, options).back());
  if (result.rotated) {
    const int stretched = std::max(1, options.seeds / 2);
    result.views = {{.view = in_metric(states, problem, MetricKind::full, options.seed),
                     .seeds = std::max(1, options.seeds - stretched),
                     .which = rotated_bag},
                    {.view = in_metric(states, problem, MetricKind::diagonal_first, options.seed),
                     .seeds = stretched,
                     .which = stretched_bag}};
  }
  auto own = std::make_shared<BagFeatures>();
  const BagFeatures& seen = result.views.front().view.look(states, problem.data(), *own);
  result.features = {std::move(own), &seen};
  return result;
}

std::optional<Views> other_views(const BagFeatures& states, const Reference& reference, const CellFamily& cells,
                                 const Problem& problem, const FamilyOptions& options) {
  if (reference.rotated) return plain_views(options);
  if (!can_rotate(states) || std::abs(cells.drift.drift) <= 3.0 * cells.drift.drift_se) return std::nullopt;
  return Views{{.view = in_metric(states, problem, MetricKind::full, options.seed),
                .seeds = options.seeds,
                .which = rotated_bag}};
}

bool ids_are_cells(const BagFeatures& states, const Problem& problem, const FamilyOptions& options) {
  constexpr std::int64_t visits = 10, most = 1024;  // a model of so many cells is solved in a moment
  if (states.point_of_row.empty()) return false;
  const std::int64_t ids = static_cast<std::int64_t>(states.values.size()) / states.dimension;
  return ids > ladder_of(problem, options).front() && ids <= most && problem.steps() >= visits * ids;
}

Views views_of_ids() {
  return {{.seeds = 1, .which = ids_bag}};
}

Views traced_views(const Reference& reference, const Problem& problem) {
  const auto traced = [&](double fading) {
    FeatureView view = reference.views.front().view;
    view.history = fit_traces(*reference.features, problem, fading);
    return view;
  };
  return {{.view = traced(fast_fading), .seeds = 2, .which = fast_traces_bag},
          {.view = traced(slow_fading), .seeds = 2, .which = slow_traces_bag}};
}

Views lagged_views(const Reference& reference, const Problem& problem, const FamilyOptions& options) {
  FeatureView view = reference.views.front().view;
  view.history = fit_last_step(*reference.features, problem);
  return {{.view = std::move(view), .seeds = options.seeds, .which = lags_bag}};
}

}  // namespace starope
