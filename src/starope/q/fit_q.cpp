#include "starope/q/fit_q.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/q/linear_fqe.hpp"
#include "starope/q/network_q.hpp"
#include "starope/q/q_regression.hpp"
#include "starope/q/state_features.hpp"
#include "starope/q/tabular_model.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using Episodes = std::vector<std::int64_t>;

QFeatures features_of(const QRecipe& recipe, const QLogs& logs) {
  const bool discrete = std::holds_alternative<DiscreteStates>(logs.problem().data().states());
  if (recipe.features == QFeatures::automatic) {
    if (discrete) return QFeatures::tabular;
    if (recipe.method == QMethod::mb) return QFeatures::clusters;
    return recipe.method == QMethod::fqe ? QFeatures::mlp : QFeatures::rbf;
  }
  if (recipe.method == QMethod::mb && recipe.features != QFeatures::tabular && recipe.features != QFeatures::clusters) {
    throw InvalidArgument(fmt::format(
        "{}: a model of the process needs cells: features=tabular or features=clusters, or mb(model=mlp)", logs.who()));
  }
  return recipe.features;
}

FeatureKind kind_of(QFeatures features) {
  switch (features) {
    case QFeatures::linear:
      return FeatureKind::linear;
    case QFeatures::rbf:
      return FeatureKind::rbf;
    case QFeatures::clusters:
      return FeatureKind::clusters;
    case QFeatures::mlp:
      return FeatureKind::raw;
    case QFeatures::automatic:
    case QFeatures::tabular:
      break;
  }
  return FeatureKind::tabular;
}

// Everything that all folds share.
struct Fitter {
  const QRecipe& recipe;
  const QLogs& logs;
  QFeatures kind;
  std::shared_ptr<const StateFeatures> shared;
  double ridge;
  QFit& fit;
  std::vector<std::function<QInfluence(std::span<const double>)>> influences{};  // of the folds

  void operator()(const Episodes& train, const Episodes& write) {
    const StateFeatures& features = *shared;
    if (kind == QFeatures::mlp) {
      with_network(train, write);
      return;
    }
    if (recipe.method == QMethod::qreg || recipe.method == QMethod::mrdr) {
      QRegressionFit found = recipe.method == QMethod::qreg ? fit_q_regression(logs, features, train, ridge)
                                                            : fit_mrdr(logs, features, train, ridge, recipe.anchor);
      const QLayers layers{.reward = found.coefficients, .outcome = {Coefficients(found.coefficients.size(), 0.0)}};
      write_values(layers, logs, features, write, fit.values);
      influences.emplace_back(
          [this_logs = &logs, kept = shared, write, found = std::move(found.influence)](std::span<const double> slope) {
            return QInfluence{.of_episode = found(direction_of(*this_logs, *kept, slope, write))};
          });
      return;
    }
    const auto backup = std::make_shared<const LinearBackup>(logs, features, train, ridge);
    QLayers layers = recipe.method == QMethod::fqe ? backup->fit() : solve_tabular_model(logs, features, train);
    check(layers);
    write_values(layers, logs, features, write, fit.values);
    influences.emplace_back([kept = shared, backup, write, layers = std::move(layers)](std::span<const double> slope) {
      return backup->influence(layers, slope, write);
    });
  }

  void with_network(const Episodes& train, const Episodes& write) {
    const StateFeatures& features = *shared;
    NetworkFitOptions options{.network = {.hidden = recipe.hidden, .seed = recipe.seed}, .mrdr_anchor = recipe.anchor};
    const NetworkFit found =
        recipe.method == QMethod::fqe
            ? fit_network_fqe(logs, features, train, write, options, fit.values)
            : fit_network_regression(logs, features, train, write, options, recipe.method == QMethod::mrdr, fit.values);
    fit.details.push_back({"iterations", static_cast<double>(found.iterations), "regressions, one after the other"});
    fit.details.push_back({"updates", static_cast<double>(found.updates), "steps of the optimizer"});
    fit.details.push_back(
        {"validation_loss", found.validation_loss,
         found.held_out > 0 ? fmt::format("of the last regression on {} held out", counted(found.held_out, "episode"))
                            : std::string("of the last regression on its own data")});
  }

  void check(const QLayers& layers) {
    for (const double q : layers.outcome.back()) {
      if (std::isfinite(q)) continue;
      throw DegenerateModel(fmt::format(
          "{}: fitted Q evaluation diverges with these features. Give a horizon or a discount below 1, or use "
          "features=clusters or features=tabular",
          logs.who()));
    }
    if (recipe.method == QMethod::fqe) {
      fit.details.push_back({"iterations", static_cast<double>(layers.iterations), "regressions, one after the other"});
    }
    if (layers.converged) return;
    fit.findings.push_back({Severity::critical, "not_converged", {{"iterations", layers.iterations}}});
  }

  // The folds' reactions add up.
  void finish() {
    if (kind == QFeatures::mlp) return;
    // Shared by all copies of the fit, because it holds the steps.
    const auto all = std::make_shared<const decltype(influences)>(std::move(influences));
    fit.influence = [all](std::span<const double> slope) {
      QInfluence sum;
      for (const auto& one : *all) sum += one(slope);
      return sum;
    };
    if (kind == QFeatures::tabular) fit.cell_name = "state";
    if (kind == QFeatures::clusters) fit.cell_name = "cluster";
  }
};

QFit fit_recipe(const QRecipe& recipe, const QLogs& logs, const QFitOptions& options) {
  const QFeatures kind = features_of(recipe, logs);
  QFit fit{.values = make_q_values(logs)};
  const auto features =
      options.features
          ? options.features
          : std::make_shared<const StateFeatures>(make_features(feature_options(recipe, logs), logs, options.threads));
  fit.findings = features->findings;
  fit.details.push_back({"q", name(recipe.method), "how the Q-function was found"});
  fit.details.push_back(
      {"features",
       kind == QFeatures::mlp ? fmt::format("a network with two layers of {}", recipe.hidden) : features->description,
       "what it is a function of"});
  const double ridge = recipe.ridge.value_or(features->indicator() ? 0.0 : 1e-4);
  Fitter fitter{recipe, logs, kind, features, ridge, fit};
  if (options.folds == 1) {
    fitter(logs.all_episodes(), logs.all_episodes());
    fitter.finish();
    return fit;
  }
  const std::vector<std::int64_t> fold = fold_of_episodes(logs.problem().episodes(), options.folds, recipe.seed);
  fit.details.push_back({"folds", static_cast<double>(options.folds), "cross-fitting: Q of a fold from the others"});
  const std::size_t usual = fit.details.size();
  for (std::int64_t k = 0; k < options.folds; ++k) {
    Episodes train, write;
    for (std::size_t i = 0; i < fold.size(); ++i)
      (fold[i] == k ? write : train).push_back(static_cast<std::int64_t>(i));
    if (k > 0) fit.details.resize(usual);  // the details of one fold stand for all
    fitter(train, write);
  }
  fitter.finish();
  return fit;
}

}  // namespace

std::string name(QMethod method) {
  switch (method) {
    case QMethod::fqe:
      return "fqe";
    case QMethod::qreg:
      return "qreg";
    case QMethod::mrdr:
      return "mrdr";
    case QMethod::mb:
      break;
  }
  return "mb";
}

FeatureOptions feature_options(const QRecipe& recipe, const QLogs& logs) {
  return {.kind = kind_of(features_of(recipe, logs)),
          .clusters = recipe.clusters,
          .waves = recipe.waves,
          .seed = recipe.seed};
}

std::vector<std::int64_t> fold_of_episodes(std::int64_t episodes, std::int64_t folds, Seed seed) {
  if (folds > episodes) {
    throw InvalidArgument(
        fmt::format("folds = {} needs at least as many episodes; there are {}", folds, with_thousands(episodes)));
  }
  Random random(seed, Stream::split, 1);
  const std::vector<std::int64_t> order = sample_without_replacement(random, episodes, episodes);
  std::vector<std::int64_t> fold(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) fold[order[k]] = static_cast<std::int64_t>(k) % folds;
  return fold;
}

QFit fit_q(const QSource& source, const QLogs& logs, const QFitOptions& options) {
  if (const auto* recipe = std::get_if<QRecipe>(&source)) return fit_recipe(*recipe, logs, options);
  if (const auto* made = std::get_if<std::shared_ptr<const QFit>>(&source)) return **made;
  const auto& table = std::get<QTable>(source);
  QFit fit{.values = look_up(table, logs)};
  // A given table is not fitted.
  fit.influence = [n = static_cast<std::size_t>(logs.problem().episodes())](std::span<const double>) {
    return QInfluence{.of_episode = std::vector<double>(n, 0.0)};
  };
  fit.details.push_back({"q", table.source.empty() ? "given" : table.source, "where the Q-function comes from"});
  return fit;
}

}  // namespace starope
