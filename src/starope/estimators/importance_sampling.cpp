#include "starope/estimators/importance_sampling.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/fold/passes.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// What is kept of the influence of every episode: its moments, and the values where they are wanted.
struct Scores {
  bool keep = true;
  ScoreMoments moments{};
  std::vector<double> values{};

  void add(double x) {
    moments.add(x);
    if (keep) values.push_back(x);
  }
  void finish(Estimate& estimate) && {
    if (moments.plain().count() > 1) estimate.std_error = moments.plain().standard_error();
    estimate.influence = std::move(values);
    if (!keep) estimate.spread = spread_of(moments);
  }
};

bool keeps(const LogsInMemory&, const EstimateOptions&) {
  return true;
}
bool keeps(const LogsInBlocks&, const EstimateOptions& options) {
  return options.keep_influence;
}

// Rewards that are too large are so for everybody; weights only for those who do not normalize them.
template <class Logs>
[[noreturn]] void too_large(const Logs& logs, ReturnWeight weight) {
  Moments returns;
  logs.each(make_return_fold(ReturnWeight::none, logs.question()).score, [&](double x) { returns.add(x); });
  if (weight == ReturnWeight::none || !std::isfinite(returns.mean())) {
    throw DegenerateModel(
        "the rewards of the logged episodes add up to more than a number can hold (1.8e308). Divide all rewards by a "
        "constant; the answer is then divided by it too");
  }
  throw DegenerateModel(
      "the product of the ratios of a whole episode is too large for a number: the policies differ too much, or "
      "episodes are too long, for unnormalized importance sampling. Use wis, wpdis or star");
}

// J = mean of the scores: their deviations are the influence values.
template <class Logs>
Estimate mean_of_scores(const Logs& logs, const EstimateOptions& options, ReturnWeight weight) {
  Scores scores{.keep = keeps(logs, options)};
  logs.each(make_return_fold(weight, logs.question()).score, [&](double x) { scores.add(x); });
  Estimate estimate{.value = scores.moments.plain().mean()};
  if (!std::isfinite(estimate.value)) too_large(logs, weight);
  for (double& x : scores.values) x -= estimate.value;
  std::move(scores).finish(estimate);
  return estimate;
}

// Sums, and with what they say the influence of every episode.
template <class Logs, class Finished>
Estimate with_influence(const Logs& logs, const EstimateOptions& options, const Finished& finished) {
  Estimate estimate{.value = finished.value()};
  Scores scores{.keep = keeps(logs, options)};
  logs.each([&](const LoggedEpisode& episode) { return finished.influence(episode); },
            [&](double x) { scores.add(x); });
  std::move(scores).finish(estimate);
  return estimate;
}

template <class Logs>
Estimate estimate_wpdis(const Logs& logs, const EstimateOptions& options) {
  const WpdisValue finished(logs.sum(WpdisFold{logs.question()}));
  Estimate estimate = with_influence(logs, options, finished);
  if (finished.unsupported_from()) {
    estimate.findings.push_back({Severity::critical, "no_support", {{"step", *finished.unsupported_from()}}});
  }
  return estimate;
}

template <class Logs>
Estimate estimate_naive(const Logs& logs, const EstimateOptions& options) {
  Estimate result = mean_of_scores(logs, options, ReturnWeight::none);
  result.ess = static_cast<double>(scored_episodes(result));
  return result;
}

template <class Logs>
Estimate weighted_estimate(const ImportanceSampling& estimator, const Logs& logs, const EstimateOptions& options) {
  if (!estimator.weighted) {
    return mean_of_scores(logs, options, estimator.per_decision ? ReturnWeight::per_decision : ReturnWeight::whole);
  }
  if (estimator.per_decision) return estimate_wpdis(logs, options);
  return with_influence(logs, options, WisValue(logs.sum(WisFold{logs.question()})));
}

}  // namespace

Estimate estimate(const Naive&, const Problem& problem, const EstimateOptions& options) {
  return estimate_naive(LogsInMemory{problem, options.threads}, options);
}

Estimate estimate(const Naive&, const Source& source, const ProblemOptions& question, const EstimateOptions& options) {
  return estimate_naive(LogsInBlocks{source, question, options.threads}, options);
}

// Where few episodes carry the weights, that is said, and explains a small mean as well. Without normalization the mean
// is a factor of the answer: then it is said beside.
Estimate estimate(const ImportanceSampling& estimator, const Problem& problem, const EstimateOptions& options) {
  Estimate result = weighted_estimate(estimator, LogsInMemory{problem, options.threads}, options);
  result.ess = effective_episodes(problem, options.threads);
  const auto few = low_ess(*result.ess, problem.episodes());
  if (few) result.findings.push_back(*few);
  if (const auto missing = missing_weight(problem, options.threads); missing && !(few && estimator.weighted))
    result.findings.push_back(*missing);
  return result;
}

Estimate estimate(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options) {
  const LogsInBlocks logs{source, question, options.threads};
  Estimate result = weighted_estimate(estimator, logs, options);
  const WholeWeights weights = whole_weights(logs);
  result.ess = weights.ess;
  const auto few = low_ess(weights.ess, weights.episodes);
  if (few) result.findings.push_back(*few);
  if (const auto missing = missing_weight(weights.mean, weights.episodes); missing && !(few && estimator.weighted))
    result.findings.push_back(*missing);
  return result;
}

}  // namespace starope
