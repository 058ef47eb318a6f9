#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/evaluate/ledger.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/q/fit_q.hpp"
#include "starope/types.hpp"

namespace starope {

// What decides the labels of all states: the abstraction, and how far episodes
// are seen when it is fitted.
struct Labeling {
  AbstractionRecipe phi{};
  std::optional<Horizon> horizon{};  // empty: all steps
  friend bool operator==(const Labeling&, const Labeling&) = default;
};

// The labeling that a star uses. A horizon that no episode reaches shows the
// same states as none.
Labeling labeling_of(const Star& star, const Problem& problem);

// Labels, features and fits that several estimators of one problem ask for are
// made once, for the first who asks, and found again by the values that
// describe them. The results are those that everyone would have made alone.
class SharedWork {
 public:
  SharedWork(const Problem& problem, Threads threads) : problem_(problem), threads_(threads) {}
  SharedWork(const SharedWork&) = delete;  // fits refer to the logs in here
  SharedWork& operator=(const SharedWork&) = delete;

  const FittedAbstraction& labels(const Labeling& labeling, Ledger::Item user) {
    return *labels_for(labeling, user).fitted;
  }

  // The estimator with its Q-function fitted, where it has one that is fitted
  // to all of the logs at once.
  Estimator with_fitted_q(Estimator estimator, Ledger::Item user);

  Ledger& ledger() noexcept { return ledger_; }

 private:
  struct Labels {
    Labeling of{};
    Ledger::Item cost = 0;
    std::optional<FittedAbstraction> fitted{};
  };
  struct Features {
    FeatureOptions of{};
    Ledger::Item cost = 0;
    std::shared_ptr<const StateFeatures> made{};
  };
  struct Fit {
    QRecipe of{};
    Ledger::Item cost = 0;
    std::unique_ptr<const QLogs> logs{};  // which the fit refers to
    std::shared_ptr<const QFit> made{};
  };

  const Labels& labels_for(const Labeling& labeling, Ledger::Item user);
  const Features& features_for(const FeatureOptions& options, const QLogs& logs, Ledger::Item user);
  const Fit& fit_for(const QRecipe& recipe, Ledger::Item user);

  const Problem& problem_;
  Threads threads_;
  Ledger ledger_{};
  std::vector<std::unique_ptr<Labels>> labels_{};
  std::vector<std::unique_ptr<Features>> features_{};
  std::vector<std::unique_ptr<Fit>> fits_{};
};

}  // namespace starope
