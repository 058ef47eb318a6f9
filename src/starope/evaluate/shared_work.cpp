#include "starope/evaluate/shared_work.hpp"

#include <algorithm>
#include <utility>

#include "starope/estimators/star.hpp"
#include "starope/q/state_features.hpp"

namespace starope {
namespace {

// What was made for this value before.
template <class Made, class Value>
const Made* find(const std::vector<std::unique_ptr<Made>>& all, const Value& value) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each->of == value; });
  return found == all.end() ? nullptr : found->get();
}

// The Q-function of an estimator that is fitted to all of the logs at once. No
// fallback for other types: whoever adds an estimator is asked.
struct FittedQ {
  QSource* operator()(DirectMethod& which) const { return recipe(which.q, 1); }
  QSource* operator()(DoublyRobust& which) const { return recipe(which.q, which.folds); }
  QSource* operator()(Magic& which) const { return recipe(which.q, which.folds); }
  QSource* operator()(Naive&) const { return nullptr; }
  QSource* operator()(ImportanceSampling&) const { return nullptr; }
  QSource* operator()(Star&) const { return nullptr; }
  QSource* operator()(ValueStar&) const { return nullptr; }
  QSource* operator()(LearnedModel&) const { return nullptr; }
  QSource* operator()(Auto&) const { return nullptr; }
  QSource* operator()(Marginalized&) const { return nullptr; }
  QSource* operator()(Dice&) const { return nullptr; }

  static QSource* recipe(QSource& q, std::int64_t folds) {
    return folds == 1 && std::holds_alternative<QRecipe>(q) ? &q : nullptr;
  }
};

}  // namespace

Labeling labeling_of(const Star& star, const Problem& problem) {
  Labeling labeling{.phi = star.phi, .horizon = horizon_of(star, problem)};
  if (labeling.horizon && labeling.horizon->steps() >= problem.longest()) labeling.horizon.reset();
  return labeling;
}

const SharedWork::Labels& SharedWork::labels_for(const Labeling& labeling, Ledger::Item user) {
  if (const Labels* known = find(labels_, labeling)) {
    ledger_.uses(user, known->cost);
    return *known;
  }
  auto made = std::make_unique<Labels>(Labels{.of = labeling, .cost = ledger_.open()});
  ledger_.uses(user, made->cost);
  const Ledger::Timer timer(ledger_, made->cost);
  const Problem seen = labeling.horizon ? problem_.with_horizon(labeling.horizon) : problem_;
  made->fitted = fit_abstraction(labeling.phi, seen, threads_);
  return *labels_.emplace_back(std::move(made));
}

const SharedWork::Features& SharedWork::features_for(const FeatureOptions& options, const QLogs& logs,
                                                     Ledger::Item user) {
  if (const Features* known = find(features_, options)) {
    ledger_.uses(user, known->cost);
    return *known;
  }
  auto made = std::make_unique<Features>(Features{.of = options, .cost = ledger_.open()});
  ledger_.uses(user, made->cost);
  const Ledger::Timer timer(ledger_, made->cost);
  if (options.kind == FeatureKind::clusters) {
    // The same k-means as that of a star, so the same labels.
    const Clusters clusters{.clusters = options.clusters, .seed = options.seed};
    made->made = std::make_shared<const StateFeatures>(
        cluster_features(*labels_for({.phi = clusters, .horizon = {}}, made->cost).fitted));
  } else {
    made->made = std::make_shared<const StateFeatures>(make_features(options, logs, threads_));
  }
  return *features_.emplace_back(std::move(made));
}

const SharedWork::Fit& SharedWork::fit_for(const QRecipe& recipe, Ledger::Item user) {
  if (const Fit* known = find(fits_, recipe)) {
    ledger_.uses(user, known->cost);
    return *known;
  }
  auto made = std::make_unique<Fit>(Fit{.of = recipe, .cost = ledger_.open()});
  ledger_.uses(user, made->cost);
  const Ledger::Timer timer(ledger_, made->cost);
  made->logs = std::make_unique<const QLogs>(problem_, name(recipe.method));
  const Features& features = features_for(feature_options(recipe, *made->logs), *made->logs, made->cost);
  made->made =
      std::make_shared<const QFit>(fit_q(recipe, *made->logs, {.features = features.made, .threads = threads_}));
  return *fits_.emplace_back(std::move(made));
}

Estimator SharedWork::with_fitted_q(Estimator estimator, Ledger::Item user) {
  QSource* q = std::visit(FittedQ{}, estimator);
  if (q != nullptr) *q = fit_for(std::get<QRecipe>(*q), user).made;
  return estimator;
}

}  // namespace starope
