#include "starope/estimators/magic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/simplex_program.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// The terms that return j contains: residuals of steps 0 .. j, values of steps 0 .. j + 1.
Blend blend_of(const WeightedTerms& sums, std::span<const std::int64_t> steps, std::span<const double> weights) {
  const std::size_t longest = sums.weight.size();
  Blend blend{.residual = std::vector<double>(longest, 0.0), .value = std::vector<double>(longest, 0.0)};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    for (std::size_t t = 0; t < longest; ++t) {
      if (static_cast<std::int64_t>(t) <= steps[k]) blend.residual[t] += weights[k];
      if (static_cast<std::int64_t>(t) <= steps[k] + 1) blend.value[t] += weights[k];
    }
  }
  return blend;
}

// What an episode adds to every return.
std::vector<double> contributions(const Problem& problem, const LoggedEpisode& episode, const StepTerms& terms,
                                  const WeightedTerms& sums, std::span<const std::int64_t> steps) {
  const double g = problem.discount().gamma();
  const auto length = static_cast<std::int64_t>(episode.ratios.size());
  std::vector<double> result(steps.size());
  Scaled product;
  double power = 1.0, sum = 0.0;
  double share = 1.0 / static_cast<double>(problem.episodes());  // of the weight one step before
  std::size_t k = 0;
  for (std::int64_t t = 0; t < length; ++t, power *= g) {
    const auto at = static_cast<std::size_t>(t);
    const std::size_t row = static_cast<std::size_t>(episode.first_row) + at;
    sum += power * share * terms.value[row];
    for (; k < steps.size() && steps[k] + 1 == t; ++k) result[k] = sum;
    product = product * Scaled::of(episode.ratios[at]);
    const ScaledSum& weight = sums.weight[at];
    share = weight.sum == 0.0 ? 0.0 : product.relative_to(weight.scale) / weight.sum;
    sum += power * share * terms.residual[row];
  }
  for (; k < steps.size(); ++k) result[k] = sum;
  return result;
}

struct Bounds {
  double lower = 0.0, upper = 0.0;
};

// The 90 % percentile interval of the replicates, widened to contain the estimate itself.
Bounds interval_of(std::vector<double> replicates, double value) {
  std::sort(replicates.begin(), replicates.end());
  const auto count = static_cast<double>(replicates.size());
  const auto at = [&](double rank) { return replicates[static_cast<std::size_t>(std::clamp(rank, 1.0, count)) - 1]; };
  return {std::min(value, at(std::floor(0.05 * count))), std::max(value, at(std::ceil(0.95 * count)))};
}

}  // namespace

std::vector<std::int64_t> return_steps(std::int64_t returns, std::int64_t horizon) {
  std::vector<std::int64_t> steps{-1};
  if (returns > horizon) {
    for (std::int64_t j = 0; j < horizon; ++j) steps.push_back(j);
    return steps;
  }
  const std::int64_t spacing = horizon / returns;
  for (std::int64_t k = 1; k + 1 < returns; ++k) steps.push_back(k * spacing);
  steps.push_back(horizon - 1);
  return steps;
}

std::vector<double> return_covariance(const Problem& problem, const StepTerms& terms, const WeightedTerms& sums,
                                      std::span<const std::int64_t> steps) {
  const std::size_t size = steps.size();
  const std::int64_t episodes = problem.episodes();
  const auto n = static_cast<double>(episodes);
  std::vector<double> mean = step_returns(problem, sums, steps);
  for (double& m : mean) m /= n;
  std::vector<double> covariance(size * size, 0.0);
  for (std::int64_t i = 0; i < episodes; ++i) {
    std::vector<double> c = contributions(problem, problem.episode(i), terms, sums, steps);
    for (std::size_t k = 0; k < size; ++k) c[k] -= mean[k];
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) covariance[a * size + b] += c[a] * c[b];
    }
  }
  for (double& x : covariance) x *= n / std::max(1.0, n - 1.0);
  return covariance;
}

std::vector<double> step_returns(const Problem& problem, const WeightedTerms& sums,
                                 std::span<const std::int64_t> steps) {
  std::vector<double> result;
  for (const std::int64_t j : steps) {
    const std::vector<double> one{1.0};
    result.push_back(blended_value(problem, sums, blend_of(sums, std::span(&j, 1), one)));
  }
  return result;
}

std::vector<double> magic_weights(std::span<const double> covariance, std::span<const double> bias) {
  const std::size_t size = bias.size();
  STAROPE_ASSERT(covariance.size() == size * size);
  std::vector<double> m(covariance.begin(), covariance.end());
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) m[a * size + b] += bias[a] * bias[b];
  }
  return least_on_simplex(m, size);
}

Estimate estimate(const Magic& estimator, const Problem& problem, const EstimateOptions& options) {
  refuse_absurd({.what = fmt::format("a bootstrap of {}", counted(estimator.replicates, "replicate")),
                 .operations = static_cast<double>(estimator.replicates) * static_cast<double>(problem.steps()),
                 .bytes = 8.0 * static_cast<double>(estimator.replicates),
                 .remedy = "Ask for fewer replicates"});
  const QLogs logs(problem, "magic");
  QFit fit = fit_q(estimator.q, logs, {.folds = estimator.folds, .threads = options.threads});
  const StepTerms terms = step_terms(fit.values, logs);
  const WeightedTerms sums = weighted_terms(problem, terms, options.threads);
  const std::int64_t horizon = problem.horizon() ? problem.horizon()->steps() : problem.longest();
  const std::vector<std::int64_t> steps = return_steps(estimator.returns, horizon);

  const std::vector<double> returns = step_returns(problem, sums, steps);
  const Bounds bounds = interval_of(
      bootstrap_weighted(problem, terms, estimator.replicates, estimator.seed, options.threads), returns.back());
  std::vector<double> bias;
  for (const double g : returns) bias.push_back(g - std::clamp(g, bounds.lower, bounds.upper));
  const std::vector<double> weights = magic_weights(return_covariance(problem, terms, sums, steps), bias);

  Estimate result;
  const Blend blend = blend_of(sums, steps, weights);
  result.value = blended_value(problem, sums, blend);
  result.influence = blended_influence(problem, terms, sums, blend, options.threads);
  if (fit.influence) {
    add_fit_influence(fit, blended_slope(logs, sums, blend), result);
    center_influence(result);
  } else {
    result.findings.push_back(fit_not_in_error());
  }
  if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  result.ess = effective_episodes(problem, options.threads);
  if (const auto finding = low_ess(*result.ess, problem.episodes())) result.findings.push_back(*finding);
  add_fit(fit, logs, result);
  result.details.push_back({.name = "return_steps",
                            .value = std::vector<double>(steps.begin(), steps.end()),
                            .meaning = "steps after which the returns leave the data for the model; -1: at once"});
  result.details.push_back({.name = "returns", .value = returns, .meaning = "the returns that are blended"});
  result.details.push_back({.name = "weights", .value = weights, .meaning = "of the returns; the last is wdr's"});
  result.details.push_back({.name = "wdr_interval",
                            .value = std::vector<double>{bounds.lower, bounds.upper},
                            .meaning = "outside it a return counts as biased"});
  return result;
}

}  // namespace starope
