#include "starope/estimators/doubly_robust.hpp"

#include <cmath>

#include "starope/error.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/step_terms.hpp"
#include "starope/fold/fold.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

std::vector<double> scores(const Problem& problem, const StepTerms& terms, Threads threads) {
  const double g = problem.discount().gamma();
  std::vector<double> result(problem.episodes());
  for_each_episode(problem, {.threads = threads}, [&](const LoggedEpisode& episode) {
    Scaled product;
    double sum = 0.0, power = 1.0;
    for (std::size_t t = 0; t < episode.ratios.size(); ++t, power *= g) {
      const std::size_t row = static_cast<std::size_t>(episode.first_row) + t;
      sum += power * product.to_double() * terms.value[row];
      product = product * Scaled::of(episode.ratios[t]);
      sum += power * product.to_double() * terms.residual[row];
    }
    result[episode.index] = sum;
  });
  return result;
}

void estimate_plain(const Problem& problem, const StepTerms& terms, const QLogs& logs, const QFit& fit, Threads threads,
                    Estimate& result) {
  result.influence = scores(problem, terms, threads);
  result.value = moments(result.influence).mean();
  if (!std::isfinite(result.value)) {
    throw DegenerateModel(
        "the product of the ratios of a whole episode is too large for a number: the policies differ too much, or "
        "episodes are too long, for unnormalized weights. Use wdr, wpdis or star");
  }
  for (double& x : result.influence) x -= result.value;
  if (fit.influence) add_fit_influence(fit, unweighted_slope(logs), result);
}

void estimate_weighted(const Problem& problem, const StepTerms& terms, const QLogs& logs, const QFit& fit,
                       Threads threads, Estimate& result) {
  const WeightedTerms sums = weighted_terms(problem, terms, threads);
  const Blend blend = whole_sum(sums);
  result.value = blended_value(problem, sums, blend);
  result.influence = blended_influence(problem, terms, sums, blend, threads);
  if (fit.influence) add_fit_influence(fit, blended_slope(logs, sums, blend), result);
  if (const std::size_t from = supported_steps(sums); from < sums.weight.size()) {
    result.findings.push_back({Severity::critical, "no_support", {{"step", static_cast<std::int64_t>(from)}}});
  }
}

}  // namespace

Estimate estimate(const DoublyRobust& estimator, const Problem& problem, const EstimateOptions& options) {
  const QLogs logs(problem, estimator.weighted ? "wdr" : "dr");
  QFit fit = fit_q(estimator.q, logs, {.folds = estimator.folds, .threads = options.threads});
  const StepTerms terms = step_terms(fit.values, logs);
  Estimate result;
  if (estimator.weighted) {
    estimate_weighted(problem, terms, logs, fit, options.threads, result);
  } else {
    estimate_plain(problem, terms, logs, fit, options.threads, result);
  }
  center_influence(result);
  if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  result.ess = effective_episodes(problem, options.threads);
  if (const auto finding = low_ess(*result.ess, problem.episodes())) result.findings.push_back(*finding);
  add_fit(fit, logs, result);
  return result;
}

}  // namespace starope
