#include "starope/estimators/importance_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/base/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/fold/fold.hpp"
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

// J = mean of the scores: their deviations are the influence values.
Estimate mean_of_scores(std::vector<double> scores) {
  const Moments m = moments(scores);
  Estimate estimate{.value = m.mean()};
  if (!std::isfinite(m.mean())) {
    throw DegenerateModel(
        "the product of the ratios of a whole episode is too large for a number: the policies differ too much, or "
        "episodes are too long, for unnormalised importance sampling. Use wis, wpdis or star");
  }
  if (m.count() > 1) estimate.std_error = m.standard_error();
  for (double& x : scores) x -= estimate.value;
  estimate.influence = std::move(scores);
  return estimate;
}

template <class Score>
std::vector<double> score_every_episode(const Problem& problem, Threads threads, const Score& score) {
  std::vector<double> scores(static_cast<std::size_t>(problem.episodes()));
  for_each_episode(problem, {.threads = threads}, [&](const LoggedEpisode& episode) {
    scores[static_cast<std::size_t>(episode.index)] = score(episode);
  });
  return scores;
}

[[noreturn]] void no_support() {
  throw DegenerateModel(
      "every logged episode contains an action that the target policy never takes: whole-episode weights are all zero. "
      "Use star with a small clip, or collect logs that cover the target policy");
}

// Sum of W G and of W over episodes.
struct WisFold {
  struct Statistic {
    ScaledSum weighted_return, weight;
    Statistic& operator+=(const Statistic& other) {
      weighted_return += other.weighted_return;
      weight += other.weight;
      return *this;
    }
  };
  double g;
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    const WeightedReturn r = weighted_return(episode, g);
    total.weighted_return.add(r.weight * Scaled::of(r.total));
    total.weight.add(r.weight);
  }
};

Estimate estimate_wis(const Problem& problem, Threads threads) {
  const double g = problem.discount().gamma();
  const auto sums = fold(WisFold{g}, problem, {.threads = threads});
  if (sums.weight.sum == 0.0) no_support();
  Estimate estimate{.value = ratio(sums.weighted_return, sums.weight)};
  // J = A / B: n dJ = W_i (G_i - J) / mean(W).
  const auto n = static_cast<double>(problem.episodes());
  estimate.influence = score_every_episode(problem, threads, [&](const LoggedEpisode& episode) {
    const WeightedReturn r = weighted_return(episode, g);
    return n * r.weight.relative_to(sums.weight.scale) / sums.weight.sum * (r.total - estimate.value);
  });
  return estimate;
}

// For every step t: the sum of rho_{0:t} r_t and of rho_{0:t} over the episodes that reach it, and the last products of
// the episodes that ended just before it (they stay in the denominator of t and of all later steps).
struct WpdisFold {
  struct Statistic {
    std::vector<ScaledSum> reward, weight, ended;
    Statistic& operator+=(const Statistic& other) {
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
  void add(Statistic& total, const LoggedEpisode& episode) const {
    const std::size_t length = episode.rewards.size();
    if (total.reward.size() < length + 1) total.resize(length + 1);
    Scaled product;
    for (std::size_t t = 0; t < length; ++t) {
      product = product * Scaled::of(episode.ratios[t]);
      total.reward[t].add(product * Scaled::of(episode.rewards[t]));
      total.weight[t].add(product);
    }
    total.ended[length].add(product);
  }
};

Estimate estimate_wpdis(const Problem& problem, Threads threads) {
  const double g = problem.discount().gamma();
  const auto sums = fold(WpdisFold{}, problem, {.threads = threads});
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
  const auto n = static_cast<double>(problem.episodes());
  std::vector<ScaledSum> tail(longest + 1);
  for (std::size_t t = longest; t-- > 0;) {
    tail[t] = tail[t + 1];
    if (all_weights[t].sum == 0.0) continue;
    Scaled term = Scaled::of(std::pow(g, static_cast<double>(t)) * mean_reward[t] / all_weights[t].sum);
    if (term.mantissa != 0.0) term.exponent -= all_weights[t].scale;
    tail[t].add(term);
  }
  estimate.influence = score_every_episode(problem, threads, [&](const LoggedEpisode& episode) {
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
  });
  return estimate;
}

}  // namespace

Estimate estimate(const Naive&, const Problem& problem, const EstimateOptions& options) {
  const double g = problem.discount().gamma();
  Estimate result = mean_of_scores(score_every_episode(
      problem, options.threads, [g](const LoggedEpisode& e) { return weighted_return(e, g).total; }));
  result.ess = static_cast<double>(problem.episodes());
  return result;
}

Estimate estimate(const ImportanceSampling& estimator, const Problem& problem, const EstimateOptions& options) {
  const double g = problem.discount().gamma();
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
  Estimate result;
  if (estimator.weighted) {
    result = estimator.per_decision ? estimate_wpdis(problem, options.threads) : estimate_wis(problem, options.threads);
    if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  } else {
    result = mean_of_scores(estimator.per_decision ? score_every_episode(problem, options.threads, per_decision)
                                                   : score_every_episode(problem, options.threads, whole));
  }
  result.ess = effective_episodes(problem, options.threads);
  // Where few episodes carry the weights, that is said, and explains a small mean as well.
  auto finding = low_ess(*result.ess, problem.episodes());
  if (!finding) finding = missing_weight(problem, options.threads);
  if (finding) result.findings.push_back(*std::move(finding));
  return result;
}

}  // namespace starope
