#include "starope/estimators/importance_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "starope/base/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/fold/passes.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

struct WeightedReturn {
  Scaled weight;       // rho_{0:T-1}
  double total = 0.0;  // G = sum g^t r_t
};

WeightedReturn weighted_return(const LoggedEpisode& episode, double g) {
  WeightedReturn result;
  double discount = 1.0;
  for (std::size_t t = 0; t < episode.rewards.size(); ++t) {
    result.weight = result.weight * Scaled::of(episode.ratios[t]);
    result.total += discount * episode.rewards[t];
    discount *= g;
  }
  return result;
}

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
    if (!keep) estimate.spread = moments;
  }
};

bool keeps(const LogsInMemory&, const EstimateOptions&) {
  return true;
}
bool keeps(const LogsInBlocks&, const EstimateOptions& options) {
  return options.keep_influence;
}

// J = mean of the scores: their deviations are the influence values.
template <class Logs, class Score>
Estimate mean_of_scores(const Logs& logs, const EstimateOptions& options, const Score& score) {
  Scores scores{.keep = keeps(logs, options)};
  logs.each(score, [&](double x) { scores.add(x); });
  Estimate estimate{.value = scores.moments.plain().mean()};
  if (!std::isfinite(estimate.value)) {
    throw DegenerateModel(
        "the product of the ratios of a whole episode is too large for a number: the policies differ too much, or "
        "episodes are too long, for unnormalised importance sampling. Use wis, wpdis or star");
  }
  for (double& x : scores.values) x -= estimate.value;
  std::move(scores).finish(estimate);
  return estimate;
}

[[noreturn]] void no_support() {
  throw DegenerateModel(
      "every logged episode contains an action that the target policy never takes: whole-episode weights are all zero. "
      "Use star with a small clip, or collect logs that cover the target policy");
}

// Sum of W G and of W over episodes.
struct WisFold {
  struct Statistic {
    double episodes = 0.0;
    ScaledSum weighted_return, weight;
    Statistic& operator+=(const Statistic& other) {
      episodes += other.episodes;
      weighted_return += other.weighted_return;
      weight += other.weight;
      return *this;
    }
  };
  double g;
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode, double times = 1.0) const {
    const WeightedReturn r = weighted_return(episode, g);
    const Scaled weight = times == 1.0 ? r.weight : r.weight * Scaled::of(times);
    total.episodes += times;
    total.weighted_return.add(weight * Scaled::of(r.total));
    total.weight.add(weight);
  }
};

template <class Logs>
Estimate estimate_wis(const Logs& logs, const EstimateOptions& options) {
  const double g = logs.question().discount.gamma();
  const auto sums = logs.sum(WisFold{g});
  if (sums.weight.sum == 0.0) no_support();
  Estimate estimate{.value = ratio(sums.weighted_return, sums.weight)};
  // J = A / B: n dJ = W_i (G_i - J) / mean(W).
  const double n = sums.episodes;
  const auto influence = [&](const LoggedEpisode& episode) {
    const WeightedReturn r = weighted_return(episode, g);
    return n * r.weight.relative_to(sums.weight.scale) / sums.weight.sum * (r.total - estimate.value);
  };
  Scores scores{.keep = keeps(logs, options)};
  logs.each(influence, [&](double x) { scores.add(x); });
  std::move(scores).finish(estimate);
  return estimate;
}

// For every step t: the sum of rho_{0:t} r_t and of rho_{0:t} over the episodes that reach it, and the last products of
// the episodes that ended just before it (they stay in the denominator of t and of all later steps).
struct WpdisFold {
  struct Statistic {
    double episodes = 0.0;
    std::vector<ScaledSum> reward, weight, ended;
    Statistic& operator+=(const Statistic& other) {
      episodes += other.episodes;
      const std::size_t longest = std::max(reward.size(), other.reward.size());
      resize(longest);
      for (std::size_t t = 0; t < other.reward.size(); ++t) {
        reward[t] += other.reward[t];
        weight[t] += other.weight[t];
        ended[t] += other.ended[t];
      }
      return *this;
    }
    void resize(std::size_t steps) {
      reward.resize(steps);
      weight.resize(steps);
      ended.resize(steps);
    }
  };
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode, double times = 1.0) const {
    total.episodes += times;
    const std::size_t length = episode.rewards.size();
    if (total.reward.size() < length + 1) total.resize(length + 1);
    Scaled product = Scaled::of(times);  // 1 times: the exact one
    for (std::size_t t = 0; t < length; ++t) {
      product = product * Scaled::of(episode.ratios[t]);
      total.reward[t].add(product * Scaled::of(episode.rewards[t]));
      total.weight[t].add(product);
    }
    total.ended[length].add(product);
  }
};

template <class Logs>
Estimate estimate_wpdis(const Logs& logs, const EstimateOptions& options) {
  const double g = logs.question().discount.gamma();
  const auto sums = logs.sum(WpdisFold{});
  const std::size_t longest = sums.reward.size() - 1;
  if (sums.weight[0].sum == 0.0) no_support();

  // R_t = sum rho_{0:t} r_t / sum rho_{0:t}, the denominator over all episodes.
  std::vector<double> mean_reward(longest, 0.0);
  std::vector<ScaledSum> all_weights(longest);
  ScaledSum ended;
  Estimate estimate;
  double discount = 1.0;
  std::optional<std::size_t> unsupported_from;
  for (std::size_t t = 0; t < longest; ++t, discount *= g) {
    ended += sums.ended[t];
    all_weights[t] = sums.weight[t];
    all_weights[t] += ended;
    if (all_weights[t].sum == 0.0) {
      unsupported_from = unsupported_from.value_or(t);
      continue;
    }
    mean_reward[t] = ratio(sums.reward[t], all_weights[t]);
    estimate.value += discount * mean_reward[t];
  }
  if (unsupported_from) {
    estimate.findings.push_back(
        {Severity::critical, "no_support", {{"step", static_cast<std::int64_t>(*unsupported_from)}}});
  }

  // n dJ = n sum_t g^t W_t (r_t - R_t) / sum W_t; behind the end of an episode r_t = 0 and W_t is its last product, so
  // the tail is - n W_{T-1} sum_{t >= T} g^t R_t / (sum W_t): suffix sums of a term that no longer depends on the
  // episode.
  const double n = sums.episodes;
  std::vector<ScaledSum> tail(longest + 1);
  for (std::size_t t = longest; t-- > 0;) {
    tail[t] = tail[t + 1];
    if (all_weights[t].sum == 0.0) continue;
    Scaled term = Scaled::of(std::pow(g, static_cast<double>(t)) * mean_reward[t] / all_weights[t].sum);
    if (term.mantissa != 0.0) term.exponent -= all_weights[t].scale;
    tail[t].add(term);
  }
  const auto influence = [&](const LoggedEpisode& episode) {
    Scaled product;
    double score = 0.0, power = 1.0;
    for (std::size_t t = 0; t < episode.rewards.size(); ++t, power *= g) {
      product = product * Scaled::of(episode.ratios[t]);
      if (all_weights[t].sum == 0.0) break;
      score += power * product.relative_to(all_weights[t].scale) / all_weights[t].sum *
               (episode.rewards[t] - mean_reward[t]);
    }
    const ScaledSum& rest = tail[episode.rewards.size()];
    Scaled behind = product * Scaled::of(rest.sum);
    if (behind.mantissa != 0.0) behind.exponent += rest.scale;
    return n * (score - behind.to_double());
  };
  Scores scores{.keep = keeps(logs, options)};
  logs.each(influence, [&](double x) { scores.add(x); });
  std::move(scores).finish(estimate);
  return estimate;
}

template <class Logs>
Estimate estimate_naive(const Logs& logs, const EstimateOptions& options) {
  const double g = logs.question().discount.gamma();
  Estimate result = mean_of_scores(logs, options, [g](const LoggedEpisode& e) { return weighted_return(e, g).total; });
  result.ess = static_cast<double>(scored_episodes(result));
  return result;
}

template <class Logs>
Estimate estimate_weighted(const ImportanceSampling& estimator, const Logs& logs, const EstimateOptions& options) {
  const double g = logs.question().discount.gamma();
  const auto whole = [g](const LoggedEpisode& episode) {
    const WeightedReturn r = weighted_return(episode, g);
    return (r.weight * Scaled::of(r.total)).to_double();
  };
  const auto per_decision = [g](const LoggedEpisode& episode) {
    Scaled product;
    double sum = 0.0, discount = 1.0;
    for (std::size_t t = 0; t < episode.rewards.size(); ++t, discount *= g) {
      product = product * Scaled::of(episode.ratios[t]);
      sum += discount * product.to_double() * episode.rewards[t];
    }
    return sum;
  };
  if (estimator.weighted) {
    return estimator.per_decision ? estimate_wpdis(logs, options) : estimate_wis(logs, options);
  }
  return estimator.per_decision ? mean_of_scores(logs, options, per_decision) : mean_of_scores(logs, options, whole);
}

}  // namespace

Estimate estimate(const Naive&, const Problem& problem, const EstimateOptions& options) {
  return estimate_naive(LogsInMemory{problem, options.threads}, options);
}

Estimate estimate(const Naive&, const Source& source, const ProblemOptions& question, const EstimateOptions& options) {
  return estimate_naive(LogsInBlocks{source, question, options.threads}, options);
}

// Where few episodes carry the weights, that is said, and explains a small mean as well.
Estimate estimate(const ImportanceSampling& estimator, const Problem& problem, const EstimateOptions& options) {
  Estimate result = estimate_weighted(estimator, LogsInMemory{problem, options.threads}, options);
  result.ess = effective_episodes(problem, options.threads);
  auto finding = low_ess(*result.ess, problem.episodes());
  if (!finding) finding = missing_weight(problem, options.threads);
  if (finding) result.findings.push_back(*std::move(finding));
  return result;
}

Estimate estimate(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options) {
  const LogsInBlocks logs{source, question, options.threads};
  Estimate result = estimate_weighted(estimator, logs, options);
  const WholeWeights weights = whole_weights(logs);
  result.ess = weights.ess;
  auto finding = low_ess(weights.ess, weights.episodes);
  if (!finding) finding = missing_weight(weights.mean, weights.episodes);
  if (finding) result.findings.push_back(*std::move(finding));
  return result;
}

}  // namespace starope
