#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/finding.hpp"
#include "starope/q/linear_fqe.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_values.hpp"
#include "starope/q/state_features.hpp"
#include "starope/types.hpp"

namespace starope {

std::string name(QMethod method);

// How a fit came about, for those who ask.
struct QDetail {
  std::string name{};
  std::variant<double, std::string> value{};
  std::string meaning{};
};

struct QFit {
  QValues values{};
  // For a J with derivative slope (steps x actions) in these values: its derivative, through the fit, in how often each
  // episode counts. Empty for networks, which nobody can differentiate so. Refers to the logs of the fit.
  std::function<QInfluence(std::span<const double> slope)> influence{};
  std::string cell_name{};  // "state", "cluster": of what pairs without data would be; empty for other features
  std::vector<Finding> findings{};
  std::vector<QDetail> details{};
};

struct QFitOptions {
  std::int64_t folds = 1;  // above 1: an episode's Q comes from a fit to the other folds (cross-fitting)
  std::shared_ptr<const StateFeatures> features{};  // made before, as feature_options says; empty: the fit makes them
  Threads threads = Threads::all();
};

// What a recipe's Q is a function of on these logs. InvalidArgument where they do not fit together.
FeatureOptions feature_options(const QRecipe& recipe, const QLogs& logs);

// Q on all steps of the logs. InvalidArgument where recipe and states do not fit, DegenerateModel where Q does not
// exist.
QFit fit_q(const QSource& source, const QLogs& logs, const QFitOptions& options = {});

// Which of k folds every episode is in: as equal in size as possible, at random.
std::vector<std::int64_t> fold_of_episodes(std::int64_t episodes, std::int64_t folds, Seed seed);

}  // namespace starope
