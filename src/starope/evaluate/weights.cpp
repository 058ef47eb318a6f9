#include "starope/evaluate/weights.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "starope/error.hpp"
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

WeightScales& WeightScales::operator+=(const WeightScales& other) {
  const auto raise_all = [](std::vector<std::optional<int>>& to, const std::vector<std::optional<int>>& more) {
    if (to.size() < more.size()) to.resize(more.size());
    for (std::size_t t = 0; t < more.size(); ++t) {
      if (more[t]) to[t] = std::max(to[t].value_or(*more[t]), *more[t]);
    }
  };
  raise_all(running_, other.running_);
  raise_all(ended_, other.ended_);
  return *this;
}

void WeightScales::write(ByteWriter& to) const {
  for (const auto* each : {&running_, &ended_}) {
    to.number(static_cast<std::int64_t>(each->size()));
    for (const std::optional<int>& exponent : *each) {
      to.flag(exponent.has_value());
      to.number(exponent.value_or(0));
    }
  }
}

WeightScales WeightScales::read(ByteReader& from) {
  constexpr std::int64_t most = std::int64_t{1} << 53, most_scale = 100'000'000;
  WeightScales scales;
  for (auto* each : {&scales.running_, &scales.ended_}) {
    const std::int64_t count = from.number_within(0, most);
    for (std::int64_t t = 0; t < count; ++t) {
      const bool any = from.flag();
      const auto exponent = static_cast<int>(from.number_within(-most_scale, most_scale));
      each->push_back(any ? std::optional(exponent) : std::nullopt);
    }
  }
  return scales;
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
    keep_top(sums.top, weight);
  }
}

void WeightsAtSteps::keep_top(std::vector<double>& top, double weight) const {
  if (top.size() == most_top_) {
    if (!(weight > top.front())) return;
    std::pop_heap(top.begin(), top.end(), std::greater<>());
    top.pop_back();
  }
  top.push_back(weight);
  std::push_heap(top.begin(), top.end(), std::greater<>());
}

WeightsAtSteps& WeightsAtSteps::operator+=(const WeightsAtSteps& other) {
  bool same = most_top_ == other.most_top_ && steps_ == other.steps_;
  for (std::size_t k = 0; same && k < steps_.size(); ++k) same = sums_[k].scale == other.sums_[k].scale;
  if (!same) throw InvalidArgument("weights of other logs cannot be added");
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    Sums& mine = sums_[k];
    const Sums& theirs = other.sums_[k];
    mine.scores += theirs.scores;
    mine.total += theirs.total;
    mine.squares += theirs.squares;
    mine.largest = std::max(mine.largest, theirs.largest);
    mine.zeros += theirs.zeros;
    for (const double weight : theirs.top) keep_top(mine.top, weight);
  }
  return *this;
}

void WeightsAtSteps::write(ByteWriter& to) const {
  to.number(static_cast<std::int64_t>(most_top_));
  to.numbers(steps_);
  for (const Sums& each : sums_) {
    to.number(each.scale);
    each.scores.write(to);
    to.number(each.total);
    to.number(each.squares);
    to.number(each.largest);
    to.number(each.zeros);
    to.numbers(each.top);
  }
}

WeightsAtSteps WeightsAtSteps::read(ByteReader& from) {
  constexpr std::int64_t most = std::int64_t{1} << 53, most_scale = 100'000'000;
  WeightsAtSteps weights;
  weights.most_top_ = static_cast<std::size_t>(from.number_within(1, most));
  weights.steps_ = from.integers();
  for (std::size_t k = 0; k < weights.steps_.size(); ++k) {
    Sums& sums = weights.sums_.emplace_back();
    sums.scale = static_cast<int>(from.number_within(-most_scale, most_scale));
    sums.scores = ScoreMoments::read(from);
    sums.total = from.real();
    sums.squares = from.real();
    sums.largest = from.real();
    sums.zeros = from.number_within(0, most);
    sums.top = from.reals();
    std::make_heap(sums.top.begin(), sums.top.end(), std::greater<>());
  }
  return weights;
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

void EssByStep::add_all(std::vector<Sums>& to, const std::vector<Sums>& other) {
  if (to.size() < other.size()) to.resize(other.size());
  for (std::size_t t = 0; t < other.size(); ++t) to[t] += other[t];
}

EssByStep& EssByStep::operator+=(const EssByStep& other) {
  add_all(running_, other.running_);
  add_all(ended_, other.ended_);
  return *this;
}

void EssByStep::write_all(ByteWriter& to, const std::vector<Sums>& sums) {
  to.number(static_cast<std::int64_t>(sums.size()));
  for (const Sums& each : sums) {
    each.weights.write(to);
    each.squares.write(to);
  }
}

std::vector<EssByStep::Sums> EssByStep::read_all(ByteReader& from) {
  const std::int64_t count = from.number_within(0, std::int64_t{1} << 53);
  std::vector<Sums> sums;
  for (std::int64_t t = 0; t < count; ++t) {
    Sums& each = sums.emplace_back();
    each.weights = ScaledSum::read(from);
    each.squares = ScaledSum::read(from);
  }
  return sums;
}

void EssByStep::write(ByteWriter& to) const {
  write_all(to, running_);
  write_all(to, ended_);
}

void EssByStep::read_sums(ByteReader& from) {
  running_ = read_all(from);
  ended_ = read_all(from);
  // The sums over those that have ended reach as far as the steps do.
  if (!window_ && ended_.size() < running_.size()) from.fail("there are steps after the last end");
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

ClippedSizes& ClippedSizes::operator+=(const ClippedSizes& other) {
  by_step_ += other.by_step_;
  weights_ += other.weights_;
  squares_ += other.squares_;
  return *this;
}

void ClippedSizes::write(ByteWriter& to) const {
  by_step_.write(to);
  weights_.write(to);
  squares_.write(to);
}

void ClippedSizes::read_sums(ByteReader& from) {
  by_step_.read_sums(from);
  weights_ = ScaledSum::read(from);
  squares_ = ScaledSum::read(from);
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

RatioMean& RatioMean::operator+=(const RatioMean& other) {
  excess_ += other.excess_;
  steps_ += other.steps_;
  return *this;
}

void RatioMean::write(ByteWriter& to) const {
  excess_.write(to);
  to.number(steps_);
}

RatioMean RatioMean::read(ByteReader& from) {
  RatioMean mean;
  mean.excess_ = Moments::read(from);
  mean.steps_ = from.number_within(0, std::int64_t{1} << 53);
  return mean;
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
