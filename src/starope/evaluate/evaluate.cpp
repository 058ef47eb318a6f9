#include "starope/evaluate.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "starope/auto/value_star.hpp"
#include "starope/checks/check_logs.hpp"
#include "starope/error.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/process_view.hpp"
#include "starope/evaluate/shared_work.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/inference/interval_of.hpp"
#include "starope/inference/refit_replicates.hpp"
#include "starope/inference/star_replicates.hpp"
#include "starope/inference/sum_replicates.hpp"
#include "starope/parallel/stop.hpp"

namespace starope {
namespace {

// Stars that share a labeling, and so a pass over the logs.
struct Group {
  Labeling labeling{};
  std::vector<std::size_t> members{};
};

class Evaluator {
 public:
  Evaluator(const Problem& problem, const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options)
      : problem_(problem),
        estimators_(estimators),
        options_(options),
        shared_(problem, options.threads),
        decision_(logged_policy(problem, options), options),
        answers_(estimators.size()),
        views_(estimators.size()) {
    for (std::size_t i = 0; i < estimators.size(); ++i) {
      answers_[i].estimator = estimators[i].text;
      costs_.push_back(shared_.ledger().open());
    }
  }

  Evaluation run() {
    Evaluation evaluation;
    evaluation.data = describe_data(problem_, options_.file, options_.threads);
    if (options_.checks) {
      put_first(evaluation.data.findings,
                check_logs(problem_, {.threads = options_.threads, .behavior_logged = !options_.behavior}));
    }
    add_findings(evaluation.data, options_.findings);
    if (options_.level) evaluation.level = options_.level->probability();
    group_stars();
    std::vector<bool> answered(estimators_.size(), false);
    for (std::size_t i = 0; i < estimators_.size(); ++i) {
      if (answered[i]) continue;
      const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& each) {
        return std::find(each.members.begin(), each.members.end(), i) != each.members.end();
      });
      if (group == groups_.end()) {
        answer(i, [&] { return alone(i); });
        continue;
      }
      answer_together(group->members, group->labeling);
      for (const std::size_t member : group->members) answered[member] = true;
    }
    if (options_.seconds) {
      for (std::size_t i = 0; i < answers_.size(); ++i) answers_[i].seconds = shared_.ledger().seconds(costs_[i]);
    }
    evaluation.estimates = std::move(answers_);
    for (std::optional<ProcessView>& view : views_) {
      if (view) evaluation.processes.push_back(std::move(*view));
    }
    describe_returns(evaluation);
    if (options_.details) evaluation.ess_by_step = ess_by_step(problem_);
    decision_.decide(evaluation);
    return evaluation;
  }

 private:
  const Star* star(std::size_t i) const {
    const auto* estimator = std::get_if<Estimator>(&estimators_[i].estimator);
    return estimator == nullptr ? nullptr : std::get_if<Star>(estimator);
  }

  void group_stars() {
    for (std::size_t i = 0; i < estimators_.size(); ++i) {
      if (star(i) == nullptr) continue;
      try {
        const Labeling labeling = labeling_of(*star(i), problem_);
        const auto known = std::find_if(groups_.begin(), groups_.end(),
                                        [&](const Group& group) { return group.labeling == labeling; });
        Group& group =
            known == groups_.end() ? groups_.emplace_back(Group{.labeling = labeling, .members = {}}) : *known;
        group.members.push_back(i);
      } catch (const std::exception&) {  // has no labeling; it will say so itself
      }
    }
  }

  // Whatever happens is the answer of this estimator.
  template <class Work>
  void answer(std::size_t i, const Work& work) {
    announce(i);
    const Ledger::Timer timer(shared_.ledger(), costs_[i]);
    made_.reset();
    try {
      finish(i, work());
    } catch (...) {
      answers_[i].result = failure_of(std::current_exception());
    }
  }

  void announce(std::size_t i) {
    ++begun_;
    stop_if_asked();
    if (options_.progress) {
      options_.progress({.number = begun_, .total = estimators_.size(), .estimator = estimators_[i].text});
    }
  }

  void finish(std::size_t i, std::variant<Estimate, Failure> result) {
    auto* estimate = std::get_if<Estimate>(&result);
    if (estimate == nullptr) {
      answers_[i].result = std::move(result);
      return;
    }
    decision_.compare(i, *estimate);
    answers_[i] = finished(estimators_[i].text, std::move(*estimate), options_, std::exchange(made_, {}));
  }

  // Replicates, where they were asked for; `sums` makes those of an estimator that is made of sums.
  void bootstrap(std::size_t i, const Estimate& estimate, const Replicated& sums = {}) {
    constexpr std::int64_t usual_sums = 1000, usual_fits = 200;
    if (!options_.level || !is_bootstrap(options_.interval.method)) return;
    const bool refit = !sums || options_.interval.refit || options_.behavior;
    made_ = interval_from_replicates(
        estimate, refit ? [&](const ReplicateOptions& options) { return refitted(i, options); } : sums,
        options_.interval, refit ? usual_fits : usual_sums, *options_.level, options_.threads);
  }

  Problem with_own_behavior(const Problem& resample) const {
    if (!options_.behavior) return resample;
    const BehaviorFit fit = estimate_behavior(resample.data(), *options_.behavior, Threads{1});
    return make_problem(with_behavior(resample.data(), fit), resample.options());
  }

  // What single episodes earn. Where that cannot be known, it is said among the findings about the logs.
  void describe_returns(Evaluation& evaluation) const {
    if (options_.risk.empty()) return;
    try {
      evaluation.distributions =
          return_distributions(problem_, options_.risk,
                               {.level = options_.level, .seed = options_.interval.seed, .threads = options_.threads});
    } catch (const Error& error) {
      evaluation.data.findings.push_back({Severity::info, "no_distribution", {{"why", error.what()}}});
    }
  }

  Replicates refitted(std::size_t i, const ReplicateOptions& options) const {
    const auto& estimator = std::get<Estimator>(estimators_[i].estimator);
    return refit_replicates(
        [&](const Problem& resample) {
          return starope::estimate(estimator, with_own_behavior(resample), {.threads = Threads{1}});
        },
        problem_, options);
  }

  // What is not made of the estimate of a star.
  void make_interval(std::size_t i, const Estimate& estimate) {
    if (!options_.level) return;
    const auto& estimator = std::get<Estimator>(estimators_[i].estimator);
    if (is_bound(options_.interval.method)) {
      made_ = interval_from_bound(estimator, problem_, options_.interval, *options_.level);
      return;
    }
    Replicated sums;
    const auto of = [&](const auto& which) {
      return [&](const ReplicateOptions& options) { return replicates(which, problem_, options); };
    };
    if (const auto* naive = std::get_if<Naive>(&estimator)) sums = of(*naive);
    if (const auto* sampling = std::get_if<ImportanceSampling>(&estimator)) sums = of(*sampling);
    bootstrap(i, estimate, sums);
  }

  Estimate look_inside(std::size_t i, const Star& star, StarFit fit) {
    if (is_bound(options_.interval.method)) make_interval(i, fit.estimate);
    bootstrap(i, fit.estimate,
              [&](const ReplicateOptions& options) { return replicates(star, fit, problem_, options); });
    if (options_.details) views_[i] = describe_process(fit, problem_, estimators_[i].text);
    return std::move(fit.estimate);
  }

  std::variant<Estimate, Failure> alone(std::size_t i) {
    if (const auto* failure = std::get_if<Failure>(&estimators_[i].estimator)) return *failure;
    const auto& estimator = std::get<Estimator>(estimators_[i].estimator);
    const EstimateOptions estimating{.threads = options_.threads};
    if (const auto* value_star = std::get_if<ValueStar>(&estimator)) {
      return look_inside(i, value_star->star, fit(*value_star, problem_, estimating));
    }
    Estimate result = estimate(shared_.with_fitted_q(estimator, costs_[i]), problem_, estimating);
    make_interval(i, result);
    return result;
  }

  // One labeling and one pass over the logs for all of them.
  void answer_together(const std::vector<std::size_t>& members, const Labeling& labeling) {
    const EstimateOptions estimating{.threads = options_.threads};
    const FittedAbstraction* labels = nullptr;
    std::vector<ArpStatistic> statistics;
    std::optional<Failure> failure;
    const Ledger::Item pass = shared_.ledger().open();
    for (const std::size_t i : members) shared_.ledger().uses(costs_[i], pass);
    try {
      announce(members.front());
      --begun_;
      const Ledger::Timer timer(shared_.ledger(), pass);
      labels = &shared_.labels(labeling, pass);
      std::vector<Star> stars;
      for (const std::size_t i : members) stars.push_back(*star(i));
      statistics = collect(stars, labels->labels, problem_, estimating);
    } catch (...) {
      failure = failure_of(std::current_exception());
    }
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t i = members[k];
      answer(i, [&]() -> std::variant<Estimate, Failure> {
        if (failure) return *failure;
        return look_inside(i, *star(i), fit(*star(i), *labels, statistics[k], problem_, estimating));
      });
    }
  }

  const Problem& problem_;
  const std::vector<RequestedEstimator>& estimators_;
  const EvaluateOptions& options_;
  SharedWork shared_;
  Decision decision_;
  std::vector<Answer> answers_;
  std::vector<std::optional<ProcessView>> views_;
  std::vector<Ledger::Item> costs_{};  // of each estimator
  std::vector<Group> groups_{};
  std::size_t begun_ = 0;
  std::optional<MadeInterval> made_{};  // of the estimator at work, where it is not made of its standard error
};

}  // namespace

Evaluation evaluate(const Problem& problem, const std::vector<RequestedEstimator>& estimators,
                    const EvaluateOptions& options) {
  return until_stopped(options.stop, [&] { return Evaluator(problem, estimators, options).run(); });
}

Evaluation evaluate(const Problem& problem, const std::vector<NamedEstimator>& estimators,
                    const EvaluateOptions& options) {
  std::vector<RequestedEstimator> requested;
  for (const NamedEstimator& each : estimators) requested.push_back({.text = each.text, .estimator = each.estimator});
  return evaluate(problem, requested, options);
}

Evaluation evaluate(const Problem& problem, const std::vector<Estimator>& estimators, const EvaluateOptions& options) {
  std::vector<RequestedEstimator> requested;
  for (const Estimator& each : estimators) requested.push_back({.text = text(each), .estimator = each});
  return evaluate(problem, requested, options);
}

}  // namespace starope
