#include <concepts>
#include <exception>
#include <memory>
#include <utility>

#include "starope/checks/check_logs.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/ledger.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/inference/block_replicates.hpp"
#include "starope/inference/interval_of.hpp"
#include "starope/parallel/stop.hpp"

namespace starope {
namespace {

// An estimator takes blocks if there is an estimate of it for a source.
template <class Which>
concept TakesBlocks = requires(const Which& which, const Source& source, const ProblemOptions& question,
                               const EstimateOptions& options) {
  { estimate(which, source, question, options) } -> std::same_as<Estimate>;
};

class SourceEvaluator {
 public:
  SourceEvaluator(const Source& source, const ProblemOptions& question, const EvaluateOptions& options)
      : source_(source),
        question_(question),
        options_(options),
        decision_(logged_policy(source, question, options), options) {}

  Evaluation run(const std::vector<RequestedEstimator>& estimators) {
    Evaluation evaluation;
    evaluation.data = describe_data(source_, question_, options_.file, options_.threads);
    if (options_.checks) put_first(evaluation.data.findings, check_logs(source_, {.threads = options_.threads}));
    add_findings(evaluation.data, options_.findings);
    if (options_.level) evaluation.level = options_.level->probability();
    std::vector<Ledger::Item> costs;
    for (const RequestedEstimator& each : estimators) {
      stop_if_asked();
      if (options_.progress) {
        options_.progress(
            {.number = evaluation.estimates.size() + 1, .total = estimators.size(), .estimator = each.text});
      }
      costs.push_back(ledger_.open());
      evaluation.estimates.push_back(answer(evaluation.estimates.size(), each, costs.back()));
    }
    for (std::size_t i = 0; i < costs.size() && options_.seconds; ++i)
      evaluation.estimates[i].seconds = ledger_.seconds(costs[i]);
    if (options_.details) evaluation.ess_by_step = ess_by_step(source_, question_);
    decision_.decide(evaluation);
    return evaluation;
  }

 private:
  // Whatever happens is the answer of this estimator.
  Answer answer(std::size_t place, const RequestedEstimator& requested, Ledger::Item cost) {
    const Ledger::Timer timer(ledger_, cost);
    Answer answer{.estimator = requested.text};
    try {
      if (const auto* failure = std::get_if<Failure>(&requested.estimator)) {
        answer.result = *failure;
        return answer;
      }
      const auto made = [&](const auto& which) { return estimated(which, cost); };
      std::variant<Estimate, Failure> result = std::visit(made, std::get<Estimator>(requested.estimator));
      if (auto* estimate = std::get_if<Estimate>(&result)) {
        decision_.compare(place, *estimate);
        auto interval = bootstrap(std::get<Estimator>(requested.estimator), *estimate, cost);
        return finished(requested.text, std::move(*estimate), options_, std::move(interval));
      }
      answer.result = std::move(result);
    } catch (...) {
      answer.result = failure_of(std::current_exception());
    }
    return answer;
  }

  // The difference from the logged policy is one of influence values: 8 bytes per episode, for one estimator at a time.
  EstimateOptions estimating() const {
    const bool skewness = options_.interval.method == IntervalMethod::bootstrap_bca;
    return {.threads = options_.threads, .keep_influence = options_.influence || options_.decision || skewness};
  }

  // An interval from replicates of sums. None where another was asked for, or where it needs all logs in memory.
  std::optional<MadeInterval> bootstrap(const Estimator& estimator, const Estimate& estimate, Ledger::Item cost) {
    const IntervalMethod method = options_.interval.method;
    if (!options_.level || !is_bootstrap(method) || method == IntervalMethod::bootstrap_studentized)
      return std::nullopt;
    if (options_.interval.refit || options_.behavior) return std::nullopt;
    Replicated made;
    if (const auto* naive = std::get_if<Naive>(&estimator))
      made = [&, naive](const ReplicateOptions& how) { return replicates(*naive, source_, question_, how); };
    if (const auto* sampling = std::get_if<ImportanceSampling>(&estimator))
      made = [&, sampling](const ReplicateOptions& how) { return replicates(*sampling, source_, question_, how); };
    if (const auto* star = std::get_if<Star>(&estimator))
      made = star_replicates(*star, options_.interval.replicates.value_or(usual_block_replicates), cost);
    if (!made) return std::nullopt;
    return interval_from_replicates(estimate, made, options_.interval, usual_block_replicates, *options_.level,
                                    options_.threads);
  }

  // Empty where the sums of all replicates would take too much memory.
  Replicated star_replicates(const Star& star, std::int64_t count, Ledger::Item cost) {
    SeenLogs logs = seen_logs(source_, question_, options_.threads);
    const ProblemOptions asked = question_of(star, logs, question_);
    if (!(asked == question_)) logs = seen_logs(source_, asked, options_.threads);
    const Phi phi = phi_for(star.phi, asked, cost).phi;
    if (star.rollouts > 0 || replicate_bytes(phi, logs, star.time, count) > most_replicate_bytes) return {};
    return [this, star, phi, logs, asked](const ReplicateOptions& how) {
      return replicates(star, phi, logs, source_, asked, how);
    };
  }

  template <class Which>
  std::variant<Estimate, Failure> estimated(const Which& which, Ledger::Item cost) {
    if constexpr (std::same_as<Which, Star>) {
      return estimate(which, source_, question_, estimating(),
                      [&](const ProblemOptions& asked) { return phi_for(which.phi, asked, cost); });
    } else if constexpr (TakesBlocks<Which>) {
      return estimate(which, source_, question_, estimating());
    } else {
      return Failure{.code = "needs_memory",
                     .message =
                         "needs all logs in memory, and they come in blocks. Allow the memory they need, or use "
                         "an estimator that takes blocks, such as wpdis, star or auto"};
    }
  }

  // Fitted for the first star that asks.
  PhiFit phi_for(const AbstractionRecipe& recipe, const ProblemOptions& asked, Ledger::Item user) {
    for (const Fit& fit : fits_) {
      if (!(fit.recipe == recipe && fit.asked == asked)) continue;
      ledger_.uses(user, fit.cost);
      return fit.made;
    }
    const Ledger::Item cost = ledger_.open();
    ledger_.uses(user, cost);
    const Ledger::Timer timer(ledger_, cost);
    fits_.push_back({recipe, asked, cost, fit_phi(recipe, source_, asked, options_.threads)});
    return fits_.back().made;
  }

  struct Fit {
    AbstractionRecipe recipe{};
    ProblemOptions asked{};
    Ledger::Item cost = 0;
    PhiFit made;
  };

  const Source& source_;
  const ProblemOptions& question_;
  const EvaluateOptions& options_;
  Decision decision_;
  Ledger ledger_{};
  std::vector<Fit> fits_{};
};

}  // namespace

bool takes_blocks(const Estimator& estimator) {
  return std::visit([]<class Which>(const Which&) { return TakesBlocks<Which>; }, estimator);
}

Evaluation evaluate(const Source& source, const ProblemOptions& question,
                    const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options) {
  return until_stopped(options.stop, [&] { return SourceEvaluator(source, question, options).run(estimators); });
}

Evaluation evaluate(const Source& source, const ProblemOptions& question, const std::vector<NamedEstimator>& estimators,
                    const EvaluateOptions& options) {
  std::vector<RequestedEstimator> requested;
  for (const NamedEstimator& each : estimators) requested.push_back({.text = each.text, .estimator = each.estimator});
  return evaluate(source, question, requested, options);
}

Evaluation evaluate(const Source& source, const ProblemOptions& question, const std::vector<Estimator>& estimators,
                    const EvaluateOptions& options) {
  std::vector<RequestedEstimator> requested;
  for (const Estimator& each : estimators) requested.push_back({.text = text(each), .estimator = each});
  return evaluate(source, question, requested, options);
}

}  // namespace starope
