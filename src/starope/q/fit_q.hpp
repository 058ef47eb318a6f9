#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/q/linear_fqe.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_regression.hpp"
#include "starope/q/q_values.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// How Q is fitted: fitted Q evaluation, regression of weighted returns, the regression that minimises the variance of
// the doubly robust estimator, or the exact solution of a maximum-likelihood model.
enum class QMethod { fqe, qreg, mrdr, mb };

// What Q is a function of. Automatic: tabular for discrete states; for others a network (fqe), random Fourier features
// (qreg, mrdr) or clusters (mb).
enum class QFeatures { automatic, tabular, linear, rbf, clusters, mlp };

struct QRecipe {
  QMethod method = QMethod::fqe;
  QFeatures features = QFeatures::automatic;
  std::int64_t clusters = 32;
  std::int64_t waves = 64;        // random Fourier features
  std::optional<double> ridge{};  // a share of the mean diagonal of the Gram matrix; default 0 for cells, 1e-4 else
  std::int64_t hidden = 32;       // units in each of the network's two hidden layers
  double anchor = default_mrdr_anchor;  // of mrdr: the share of plain regression in its programme; 0: as published
  Seed seed{};
  friend bool operator==(const QRecipe&, const QRecipe&) = default;
};

struct QFit;

// Fitted to the logs, or given: as a table, or as a fit to the same logs that several estimators share (those logs must
// outlive it, and it has one fold).
using QSource = std::variant<QRecipe, QTable, std::shared_ptr<const QFit>>;

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
