#include "starope/auto/value_star.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "starope/auto/automatic.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/coalitions.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/clustering/kmeans_init.hpp"
#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/nearest.hpp"

namespace starope {
namespace {

constexpr std::int64_t dimension = 2;

// (value, log occupancy ratio) of every state row, as means over a bag.
std::vector<double> worth_of_states(const Problem& logged, Seed seed, Threads threads) {
  const BagOptions options{.ladder = default_ladder(logged.steps()), .seed = seed};
  const Bag bag = make_bag(bag_features(logged, threads), logged, options, threads);
  const Problem problem = without_misleading_ends(logged, horizon_ends(logged, finest_states(bag)));
  std::vector<std::int64_t> episodes(problem.episodes());
  std::iota(episodes.begin(), episodes.end(), std::int64_t{0});
  const PooledTables tables = pooled_tables(bag, problem, episodes, threads);
  const std::int64_t rows = problem.data().state_rows();
  std::vector<double> worth(rows * dimension);
  std::vector<std::uint32_t> cells(bag.members.size());
  double smallest = std::numeric_limits<double>::infinity();
  for (std::int64_t row = 0; row < rows; ++row) {
    cells_of_row(bag, tables.first_cell, row, cells);
    double value = 0.0, ratio = 0.0;
    for (const std::uint32_t cell : cells) {
      value += tables.values[cell * tables.value_stride];
      ratio += tables.per_visit[cell] * tables.total_mass[cell];
    }
    const auto at = static_cast<std::size_t>(row * dimension);
    worth[at] = value / static_cast<double>(cells.size());
    worth[at + 1] = ratio / static_cast<double>(cells.size());
    if (ratio > 0.0) smallest = std::min(smallest, worth[at + 1]);
  }
  // States that the target policy never reaches have no logarithm; they stand below all others.
  const double floor = std::isfinite(smallest) ? 0.5 * smallest : 1.0;
  for (std::size_t i = 1; i < worth.size(); i += 2) worth[i] = std::log(std::max(worth[i], floor));
  return worth;
}

std::vector<double> counted_rows(const std::vector<double>& worth, const Problem& problem) {
  std::vector<double> counted;
  counted.reserve(problem.steps() * dimension);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    const auto first = worth.begin() + episode.first_row * dimension;
    counted.insert(counted.end(), first, first + episode.length() * dimension);
  }
  return counted;
}

}  // namespace

FittedAbstraction value_abstraction(const ValueStar& recipe, const Problem& whole, Threads threads) {
  const AutoHorizon horizon = auto_horizon(whole);
  const Problem problem = whole.with_horizon(Horizon{horizon.steps});
  std::vector<double> worth = worth_of_states(problem, recipe.seed, threads);
  std::vector<double> fitted_on = counted_rows(worth, problem);
  const Points points{.dimension = dimension, .values = fitted_on};
  const FeatureScaling scaling = make_scaling(FeatureScale::standard, points, threads);
  scaling.apply(fitted_on, fitted_on);
  scaling.apply(worth, worth);
  const LloydFit clusters =
      lloyd(points, initial_centroids(KMeansInit::plus_plus, points, recipe.clusters, recipe.seed, threads),
            {.threads = threads});
  const NearestCentroid nearest(clusters.centroids, dimension);
  FittedAbstraction fitted;
  fitted.labels = {.cells = nearest.clusters(),
                   .of_row = nearest_labels({.dimension = dimension, .values = worth}, nearest, threads)};
  // The worth of a state is known for the rows of these logs only: the labels themselves are what there is to know.
  ByteWriter labels;
  labels.numbers(fitted.labels.of_row);
  fitted.labels.phi = fingerprint_of(labels.bytes());
  if (nearest.clusters() < recipe.clusters) {
    fitted.findings.push_back(
        {Severity::info, "fewer_groups", {{"groups", nearest.clusters()}, {"asked", recipe.clusters}}});
  }
  return fitted;
}

StarFit fit(const ValueStar& value, const Problem& problem, const EstimateOptions& options) {
  return fit(value.star, value_abstraction(value, problem, options.threads), problem, options);
}

Estimate estimate(const ValueStar& value, const Problem& problem, const EstimateOptions& options) {
  return fit(value, problem, options).estimate;
}

}  // namespace starope
