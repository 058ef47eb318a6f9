#include "starope/behavior/policy_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "starope/behavior/logistic.hpp"
#include "starope/behavior/nearest_actions.hpp"
#include "starope/clustering/kmeans_init.hpp"
#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/clustering/points.hpp"

namespace starope {
namespace {

// Shares of the actions within cells of steps, with pseudo-counts of the shares of all.
std::vector<double> shares_of_cells(const PolicySetting& setting, const ActionLogs& logs, Rows training, Rows wanted,
                                    const std::vector<std::int32_t>& cell, std::int64_t cells) {
  const auto actions = static_cast<std::size_t>(logs.actions);
  const std::vector<double> all = action_shares(logs, training);
  std::vector<double> counts(static_cast<std::size_t>(cells) * actions, 0.0),
      totals(static_cast<std::size_t>(cells), 0.0);
  for (const std::int64_t row : training) {
    const auto z = static_cast<std::size_t>(cell[row]);
    counts[z * actions + static_cast<std::size_t>(logs.action[row])] += 1.0;
    totals[z] += 1.0;
  }
  std::vector<double> out;
  out.reserve(wanted.size() * actions);
  for (const std::int64_t row : wanted) {
    const auto z = static_cast<std::size_t>(cell[row]);
    for (std::size_t a = 0; a < actions; ++a)
      out.push_back((counts[z * actions + a] + setting.strength * all[a]) / (totals[z] + setting.strength));
  }
  return out;
}

std::vector<std::int32_t> clusters_of(const PolicySetting& setting, const ActionLogs& logs, Seed seed,
                                      Threads threads) {
  const Points points{.dimension = logs.dimension, .values = logs.features};
  const LloydFit clusters = lloyd(points, initial_centroids(KMeansInit::plus_plus, points, setting.size, seed, threads),
                                  {.threads = threads});
  const NearestCentroid nearest(clusters.centroids, logs.dimension);
  const auto labels = nearest_labels(points, nearest, threads);
  return {labels.begin(), labels.end()};
}

}  // namespace

std::string PolicySetting::text() const {
  switch (method) {
    case BehaviorMethod::counts:
      return strength == unshrunken ? "no pseudo-counts" : fmt::format("pseudo-counts {}", strength);
    case BehaviorMethod::clusters:
      return fmt::format("{} cells, pseudo-counts {}", size, strength);
    case BehaviorMethod::logistic:
      return fmt::format("ridge {}", strength);
    case BehaviorMethod::neighbors:
      return fmt::format("{} neighbors", size);
    case BehaviorMethod::automatic:
    case BehaviorMethod::global:
      break;
  }
  return {};
}

std::vector<PolicySetting> settings_of(BehaviorMethod method, const ActionLogs& logs) {
  std::vector<PolicySetting> settings;
  const auto steps = static_cast<std::int64_t>(logs.action.size());
  switch (method) {
    case BehaviorMethod::global:
      return {{.method = method}};
    case BehaviorMethod::counts:
      if (logs.ids == 0) return {};
      for (const double strength : {0.1, 0.5, 2.0, 5.0, 20.0, 100.0})
        settings.push_back({.method = method, .strength = strength});
      return settings;
    case BehaviorMethod::clusters:
      if (logs.dimension == 0) return {};
      for (const std::int64_t size : {4, 16, 64}) {
        if (size * 4 <= steps) settings.push_back({.method = method, .strength = 2.0, .size = size});
      }
      return settings;
    case BehaviorMethod::logistic:
      if (logs.dimension == 0) return {};
      for (const double strength : {1e-4, 1e-2, 1.0}) settings.push_back({.method = method, .strength = strength});
      return settings;
    case BehaviorMethod::neighbors:
      if (logs.dimension == 0) return {};
      for (const std::int64_t size : {20, 100}) {
        if (size * 2 <= steps) settings.push_back({.method = method, .size = size});
      }
      return settings;
    case BehaviorMethod::automatic:
      break;
  }
  return {};
}

std::vector<double> fitted_probabilities(const PolicySetting& setting, const ActionLogs& logs, Rows training,
                                         Rows wanted, Seed seed, Threads threads) {
  switch (setting.method) {
    case BehaviorMethod::counts:
      return shares_of_cells(setting, logs, training, wanted, logs.code, logs.ids);
    case BehaviorMethod::clusters:
      return shares_of_cells(setting, logs, training, wanted, clusters_of(setting, logs, seed, threads), setting.size);
    case BehaviorMethod::logistic:
      return logistic_probabilities(logs, training, wanted, setting.strength);
    case BehaviorMethod::neighbors:
      return nearest_probabilities(logs, training, wanted, setting.size, threads);
    case BehaviorMethod::automatic:
    case BehaviorMethod::global:
      break;
  }
  const std::vector<double> all = action_shares(logs, training);
  std::vector<double> out;
  for (std::size_t i = 0; i < wanted.size(); ++i) out.insert(out.end(), all.begin(), all.end());
  return out;
}

}  // namespace starope
