#include "starope/evaluate/weights.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "starope/parallel/stop.hpp"

namespace starope {

std::vector<std::int64_t> checkpoints(std::int64_t longest) {
  std::vector<std::int64_t> steps;
  for (std::int64_t decade = 1; decade < longest; decade *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (digit * decade < longest) steps.push_back(digit * decade);
    }
  }
  steps.push_back(longest);
  return steps;
}

void WeightScales::add(const LoggedEpisode& episode) {
  if (running_.size() < episode.ratios.size()) running_.resize(episode.ratios.size());
  if (ended_.size() <= episode.ratios.size()) ended_.resize(episode.ratios.size() + 1);
  const auto raise = [](std::optional<int>& largest, const Scaled& product) {
    if (product.mantissa != 0.0) largest = std::max(largest.value_or(product.exponent), product.exponent);
  };
  Scaled product;
  for (std::size_t t = 0; t < episode.ratios.size(); ++t) {
    product = product * Scaled::of(episode.ratios[t]);
    raise(running_[t], product);
  }
  raise(ended_[episode.ratios.size()], product);
}

int WeightScales::after(std::int64_t steps) const {
  const auto t = static_cast<std::size_t>(steps);
  int largest = 0;
  bool any = false;
  const auto see = [&](const std::optional<int>& exponent) {
    if (!exponent) return;
    largest = any ? std::max(largest, *exponent) : *exponent;
    any = true;
  };
  if (t >= 1 && t <= running_.size()) see(running_[t - 1]);
  for (std::size_t k = 0; k < std::min(t, ended_.size()); ++k) see(ended_[k]);
  return largest;
}

WeightsAtSteps::WeightsAtSteps(std::vector<std::int64_t> steps, const WeightScales& scales, std::int64_t episodes)
    : most_top_(static_cast<std::size_t>(std::max<std::int64_t>(1, (episodes + 99) / 100))), steps_(std::move(steps)) {
  for (const std::int64_t t : steps_) sums_.push_back({.scale = scales.after(t)});
}

void WeightsAtSteps::add(const LoggedEpisode& episode) {
  Scaled product;
  std::size_t done = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const std::size_t until = std::min(static_cast<std::size_t>(steps_[k]), episode.ratios.size());
    for (; done < until; ++done) product = product * Scaled::of(episode.ratios[done]);
    Sums& sums = sums_[k];
    const double weight = product.relative_to(sums.scale);
    sums.scores.add(weight);
    sums.total += weight;
    sums.squares += weight * weight;
    sums.largest = std::max(sums.largest, weight);
    sums.zeros += weight == 0.0 ? 1 : 0;
    if (sums.top.size() == most_top_) {
      if (!(weight > sums.top.front())) continue;
      std::pop_heap(sums.top.begin(), sums.top.end(), std::greater<>());
      sums.top.pop_back();
    }
    sums.top.push_back(weight);
    std::push_heap(sums.top.begin(), sums.top.end(), std::greater<>());
  }
}

std::vector<WeightsAt> WeightsAtSteps::finish() const {
  std::vector<WeightsAt> result;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Sums& sums = sums_[k];
    const Moments& spread = sums.scores.plain();
    std::vector<double> top = sums.top;
    std::sort(top.begin(), top.end());
    const double heaviest = std::accumulate(top.begin(), top.end(), 0.0);
    result.push_back({.t = steps_[k],
                      .mean = Scaled{spread.mean(), sums.scale}.to_double(),
                      .std_error = Scaled{spread.standard_error(), sums.scale}.to_double(),
                      .ess = sums.squares > 0.0 ? sums.total / sums.squares * sums.total : 0.0,
                      .zero_share = static_cast<double>(sums.zeros) / spread.times(),
                      .largest_share = sums.total > 0.0 ? sums.largest / sums.total : 0.0,
                      .top_share = sums.total > 0.0 ? std::min(1.0, heaviest / sums.total) : 0.0,
                      .scores = sums.scores.effective_scores()});
  }
  return result;
}

std::vector<WeightsAt> weights_at(const Problem& problem, const std::vector<std::int64_t>& steps) {
  WeightScales scales;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) scales.add(problem.episode(i));
  WeightsAtSteps weights(steps, scales, problem.episodes());
  for (std::int64_t i = 0; i < problem.episodes(); ++i) weights.add(problem.episode(i));
  return weights.finish();
}

void EssByStep::add(const LoggedEpisode& episode) {
  if (running_.size() < episode.ratios.size()) running_.resize(episode.ratios.size());
  if (window_) {
    window_->reset();
    for (std::size_t t = 0; t < episode.ratios.size(); ++t) running_[t].add(window_->push(episode.ratios[t]));
    return;
  }
  if (ended_.size() <= episode.ratios.size()) ended_.resize(episode.ratios.size() + 1);
  Scaled product;
  for (std::size_t t = 0; t < episode.ratios.size(); ++t) {
    product = product * Scaled::of(episode.ratios[t]);
    running_[t].add(product);
  }
  ended_[episode.ratios.size()].add(product);
}

std::vector<double> EssByStep::finish() const {
  std::vector<double> ess(running_.size(), 0.0);
  Sums finished;
  for (std::size_t t = 0; t < running_.size(); ++t) {
    if (!window_) finished += ended_[t];
    Sums all = finished;
    all += running_[t];
    if (all.weights.empty) continue;  // every weight is zero
    const double root = all.squares.sum / all.weights.sum;
    // (S1 / 2^s)^2 / (S2 / 2^q) with the units 2^(256 s), 2^(256 q) put back.
    ess[t] = Scaled{all.weights.sum / root, 2 * all.weights.scale - all.squares.scale}.to_double();
  }
  return ess;
}

void ClippedSizes::add(const LoggedEpisode& episode) {
  by_step_.add(episode);
  window_.reset();
  for (const double ratio : episode.ratios) {
    const Scaled weight = window_.push(ratio);
    weights_.add(weight);
    squares_.add(weight * weight);
  }
}

Inspection::ClippedWeights ClippedSizes::finish(const std::vector<std::int64_t>& at, double few,
                                                const Inspection& logs) const {
  Inspection::ClippedWeights result{.clip = clip_};
  const std::vector<double> all = by_step_.finish();
  for (const std::int64_t t : at) result.by_step.push_back(all[static_cast<std::size_t>(t) - 1]);
  const auto silent = std::find_if(all.begin(), all.end(), [few](double size) { return size < few; });
  result.speaks_until = silent - all.begin();
  if (weights_.empty) return result;
  const double share = static_cast<double>(logs.episodes) / static_cast<double>(logs.steps);
  const double root = squares_.sum / weights_.sum;
  result.ess = share * Scaled{weights_.sum / root, 2 * weights_.scale - squares_.scale}.to_double();
  return result;
}

std::vector<double> ess_by_step(const Problem& problem) {
  EssByStep ess;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) ess.add(problem.episode(i));
  return ess.finish();
}

std::vector<double> ess_by_step(const Source& source, const ProblemOptions& question) {
  EssByStep ess;
  const Source::Next next = source.open();
  while (const auto block = next()) {
    stop_if_asked();
    const Problem problem = make_problem(*block, question);
    for (std::int64_t i = 0; i < problem.episodes(); ++i) ess.add(problem.episode(i));
  }
  return ess.finish();
}

void RatioMean::add(const LoggedEpisode& episode) {
  double sum = 0.0;
  for (const double ratio : episode.ratios) sum += ratio - 1.0;
  excess_.add(sum);
  steps_ += episode.length();
}

MeanRatio RatioMean::finish() const {
  const double mean_length = static_cast<double>(steps_) / excess_.times();
  MeanRatio result{.mean = 1.0 + excess_.mean() / mean_length};
  if (excess_.count() > 1) result.std_error = excess_.standard_error() / mean_length;
  return result;
}

MeanRatio mean_ratio(const Problem& problem) {
  RatioMean mean;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) mean.add(problem.episode(i));
  return mean.finish();
}

}  // namespace starope
