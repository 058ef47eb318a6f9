#include "starope/study/shared_estimates.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "starope/base/error.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/q/fit_q.hpp"

namespace starope {
namespace {

// Of this thread: what others do on the machine does not count.
class ThreadClock {
 public:
  ThreadClock() : start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_;
};

EstimateFailure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {.code = error.code(), .message = error.what()};
  } catch (const std::bad_alloc&) {
    return {.code = "out_of_memory", .message = "there is not enough memory for this estimator"};
  } catch (const std::exception& error) {
    return {.code = "internal_error", .message = error.what()};
  }
}

std::variant<Estimate, EstimateFailure> finished(Estimate estimate, const std::string& text, Level level) {
  if (!std::isfinite(estimate.value)) {
    return EstimateFailure{.code = "not_finite", .message = "the estimate is infinite or not defined"};
  }
  estimate.estimator = text;
  estimate.interval = influence_interval(estimate, level);
  estimate.influence = {};
  return estimate;
}

// A text that is equal for recipes that give the same labels, empty where labels are cheap and not worth sharing.
std::string labelling_key(const AbstractionRecipe& recipe) {
  if (const auto* k = std::get_if<KMeansOptions>(&recipe)) {
    return fmt::format("kmeans {} {} {} {} {} {}", k->clusters, static_cast<int>(k->init), static_cast<int>(k->scale),
                       k->max_iterations, k->tolerance, k->seed.value);
  }
  if (const auto* r = std::get_if<RandomCentroidsOptions>(&recipe)) {
    return fmt::format("random {} {}", r->clusters, r->seed.value);
  }
  if (const auto* g = std::get_if<GridOptions>(&recipe)) return fmt::format("grid {}", g->bins);
  if (const auto* c = std::get_if<CentroidTable>(&recipe)) return "centroids " + c->source;
  if (const auto* l = std::get_if<LookupTable>(&recipe)) return "lookup " + l->source;
  return fmt::format("plain {}", recipe.index());
}

std::string labelling_key(const AbstractionRecipe& recipe, const std::optional<Horizon>& horizon) {
  return fmt::format("{} {}", labelling_key(recipe), horizon ? horizon->steps() : std::int64_t{0});
}

std::string fit_key(const QRecipe& recipe) {
  return fmt::format("{} {} {} {} {} {} {} {}", static_cast<int>(recipe.method), static_cast<int>(recipe.features),
                     recipe.clusters, recipe.waves, recipe.ridge.value_or(-1.0), recipe.hidden, recipe.anchor,
                     recipe.seed.value);
}

std::string features_key(const FeatureOptions& options) {
  return fmt::format("{} {} {} {}", static_cast<int>(options.kind), options.clusters, options.waves,
                     options.seed.value);
}

// The Q-function of an estimator, where it has one that is fitted to all of the logs at once.
template <class Which>
QSource* fitted_q(Which& which) {
  if constexpr (requires { which.q; }) {
    if constexpr (requires { which.folds; }) {
      if (which.folds != 1) return nullptr;
    }
    return std::holds_alternative<QRecipe>(which.q) ? &which.q : nullptr;
  } else {
    return nullptr;
  }
}

// A labelling of all states, for all that use the same.
struct SharedLabels {
  std::optional<FittedAbstraction> fitted{};
  double seconds = 0.0, users = 0.0;

  double seconds_each() const { return seconds / users; }
};

// Features, for all fits that are functions of the same.
struct SharedFeatures {
  std::shared_ptr<const StateFeatures> features{};
  SharedLabels* labels = nullptr;  // whose cells they are the indicators of
  double seconds = 0.0, fits = 0.0;

  double seconds_each() const { return (seconds + (labels == nullptr ? 0.0 : labels->seconds_each())) / fits; }
};

// A fit, with the logs it refers to, for all estimators that ask for the same.
struct SharedFit {
  QLogs logs;
  std::shared_ptr<const QFit> fit{};
  double seconds = 0.0;  // without its features
  double paid = 0.0;     // by the estimator that asked first, features included where it made them
  SharedFeatures* features = nullptr;
};

// Estimators that share a labelling, and how far episodes are seen when it is fitted.
struct Group {
  std::vector<std::size_t> members{};
  std::optional<Horizon> horizon{};
};

class Evaluator {
 public:
  Evaluator(const std::vector<NamedEstimator>& estimators, const Problem& problem, Level level, Threads threads)
      : estimators_(estimators), problem_(problem), level_(level), threads_(threads), answers_(estimators.size()) {}

  std::vector<TimedEstimate> run() {
    std::map<std::string, Group> groups;
    for (std::size_t i = 0; i < estimators_.size(); ++i) {
      const auto* star = std::get_if<Star>(&estimators_[i].estimator);
      if (star == nullptr) {
        answer(i, [&] { return estimate(with_shared_fit(estimators_[i].estimator), problem_, {.threads = threads_}); });
        continue;
      }
      attempt(i, [&] {
        std::optional<Horizon> horizon = horizon_of(*star, problem_);
        // A horizon that no episode reaches shows the same states as none.
        if (horizon && horizon->steps() >= problem_.longest()) horizon.reset();
        Group& group = groups[labelling_key(star->phi, horizon)];
        group.members.push_back(i);
        group.horizon = horizon;
      });
    }
    for (const auto& [key, group] : groups) run_group(group);
    share_seconds_of_labels();
    share_seconds_of_fits();
    return std::move(answers_);
  }

 private:
  template <class Work>
  bool attempt(std::size_t i, const Work& work) {
    try {
      work();
      return true;
    } catch (...) {
      answers_[i].result = failure_of(std::current_exception());
      return false;
    }
  }

  template <class Work>
  void answer(std::size_t i, const Work& work) {
    const ThreadClock clock;
    attempt(i, [&] { answers_[i].result = finished(work(), estimators_[i].text, level_); });
    answers_[i].seconds += clock.seconds();
  }

  // The estimator with its Q-function fitted; of several that ask for the same, the first one fits it.
  Estimator with_shared_fit(Estimator estimator) {
    QSource* q = std::visit([](auto& which) { return fitted_q(which); }, estimator);
    if (q == nullptr) return estimator;
    const auto& recipe = std::get<QRecipe>(*q);
    const std::string key = fit_key(recipe);
    auto found = fits_.find(key);
    if (found == fits_.end()) {
      const ThreadClock clock;
      auto shared = std::make_unique<SharedFit>(SharedFit{.logs = QLogs(problem_, name(recipe.method))});
      SharedFeatures& features = features_for(feature_options(recipe, shared->logs), shared->logs);
      const double before = clock.seconds();
      shared->fit = std::make_shared<const QFit>(
          fit_q(recipe, shared->logs, {.features = features.features, .threads = threads_}));
      shared->paid = clock.seconds();
      shared->seconds = shared->paid - before;
      shared->features = &features;
      features.fits += 1.0;
      found = fits_.emplace(key, std::move(shared)).first;
    }
    *q = found->second->fit;
    return estimator;
  }

  SharedFeatures& features_for(const FeatureOptions& options, const QLogs& logs) {
    SharedFeatures& shared = features_[features_key(options)];
    if (shared.features) return shared;
    if (options.kind == FeatureKind::clusters) {
      // The same k-means as that of a star, so the same labels.
      shared.labels = &labels_for(KMeansOptions{.clusters = options.clusters, .seed = options.seed}, std::nullopt);
      shared.features = std::make_shared<const StateFeatures>(cluster_features(*shared.labels->fitted));
      shared.labels->users += 1.0;
      return shared;
    }
    const ThreadClock clock;
    shared.features = std::make_shared<const StateFeatures>(make_features(options, logs, threads_));
    shared.seconds = clock.seconds();
    return shared;
  }

  SharedLabels& labels_for(const AbstractionRecipe& phi, const std::optional<Horizon>& horizon) {
    SharedLabels& shared = labels_[labelling_key(phi, horizon)];
    if (shared.fitted) return shared;
    const ThreadClock clock;
    const Problem seen = horizon ? problem_.with_horizon(horizon) : problem_;
    shared.fitted = fit_abstraction(phi, seen, threads_);
    shared.seconds = clock.seconds();
    return shared;
  }

  void share_seconds_of_labels() {
    for (const auto& [labels, members] : labelled_) {
      for (const std::size_t i : members) answers_[i].seconds += labels->seconds_each();
    }
  }

  // Who fitted has paid for all.
  void share_seconds_of_fits() {
    for (const auto& [key, shared] : fits_) {
      std::vector<std::size_t> users;
      for (std::size_t i = 0; i < estimators_.size(); ++i) {
        Estimator copy = estimators_[i].estimator;
        QSource* q = std::visit([](auto& which) { return fitted_q(which); }, copy);
        if (q != nullptr && fit_key(std::get<QRecipe>(*q)) == key) users.push_back(i);
      }
      answers_[users.front()].seconds -= shared->paid;
      const double seconds = shared->seconds + shared->features->seconds_each();
      for (const std::size_t i : users) answers_[i].seconds += seconds / static_cast<double>(users.size());
    }
  }

  const Star& star(std::size_t i) const { return std::get<Star>(estimators_[i].estimator); }

  // One labelling and one pass over the logs for all of them.
  void run_group(const Group& group) {
    const std::size_t first = group.members.front();
    SharedLabels* labels = nullptr;
    std::vector<ArpStatistic> statistics;
    double seconds = 0.0;
    const bool collected = attempt(first, [&] {
      labels = &labels_for(star(first).phi, group.horizon);
      const ThreadClock clock;
      std::vector<Star> stars;
      for (const std::size_t i : group.members) stars.push_back(star(i));
      statistics = collect(stars, labels->fitted->labels, problem_, {.threads = threads_});
      seconds = clock.seconds();
    });
    if (!collected) {
      for (const std::size_t i : group.members) answers_[i].result = answers_[first].result;
      return;
    }
    labels->users += static_cast<double>(group.members.size());
    labelled_.emplace_back(labels, group.members);
    for (std::size_t k = 0; k < group.members.size(); ++k) {
      const std::size_t i = group.members[k];
      answers_[i].seconds = seconds / static_cast<double>(group.members.size());
      answer(i, [&] { return fit(star(i), *labels->fitted, statistics[k], problem_, {.threads = threads_}).estimate; });
    }
  }

  const std::vector<NamedEstimator>& estimators_;
  const Problem& problem_;
  Level level_;
  Threads threads_;
  std::vector<TimedEstimate> answers_;
  std::map<std::string, SharedLabels> labels_;
  std::vector<std::pair<const SharedLabels*, std::vector<std::size_t>>> labelled_;  // estimators that use labels
  std::map<std::string, SharedFeatures> features_;
  std::map<std::string, std::unique_ptr<SharedFit>> fits_;
};

}  // namespace

std::vector<TimedEstimate> shared_estimates(const std::vector<NamedEstimator>& estimators, const Problem& problem,
                                            Level level, Threads threads) {
  return Evaluator(estimators, problem, level, threads).run();
}

}  // namespace starope
