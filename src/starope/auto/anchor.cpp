#include "starope/auto/anchor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/auto/row_sums.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

Scaled times(Scaled weight, double factor) {
  return weight * Scaled::of(factor);
}

// weight * sum, where their units cancel.
double product(Scaled weight, const ScaledSum& sum) {
  return (weight * Scaled::of(sum.sum)).relative_to(-sum.scale);
}

void add_to(std::vector<AnchorStep>& steps, const std::vector<AnchorStep>& others) {
  STAROPE_ASSERT(steps.size() == others.size());
  for (std::size_t t = 0; t < steps.size(); ++t) steps[t] += others[t];
}

struct AnchorValues {
  const RowMatrix& basis;
  std::span<const RowMatrix> states, taken;

  static double mean(std::span<const RowMatrix> draws, const RowMatrix& basis, Eigen::Index t, Eigen::Index k) {
    double sum = 0.0;
    for (const RowMatrix& draw : draws)
      sum += dot(draw.row(t).data(), basis.row(k).data(), static_cast<std::size_t>(basis.cols()));
    return sum / static_cast<double>(draws.size());
  }
  double of_state(Eigen::Index t, Eigen::Index k) const { return mean(states, basis, t, k); }
  double of_step(Eigen::Index t) const { return mean(taken, basis, t, t); }
};

template <class OutcomeAt>
AnchorEpisode anchored(const AnchorValues& values, const OutcomeAt& outcome_at, const LoggedEpisode& episode,
                       double gamma, std::int64_t horizon) {
  AnchorEpisode result{.start = values.of_state(0, 0)};
  Scaled weight;
  for (std::int64_t t = 0; t < episode.length(); ++t) {
    const Outcome outcome = outcome_at(t);
    if (!outcome.seen()) {
      result.lost_afterwards = true;
      break;
    }
    weight = times(weight, episode.ratios[t]);
    const double later = outcome.next_row ? gamma * values.of_state(t + 1, t + 1) : 0.0;
    result.residual.push_back(episode.rewards[t] + later - values.of_step(t));
    result.weight.push_back(weight);
  }
  if (episode.end == EpisodeEnd::truncated && episode.length() < horizon) result.lost_afterwards = true;
  return result;
}

}  // namespace

AnchorEpisode anchor_episode(const RowMatrix& basis, std::span<const RowMatrix> values, const LoggedEpisode& episode,
                             double gamma, std::int64_t horizon) {
  const auto outcome = [&](std::int64_t t) { return outcome_within(episode, t, horizon); };
  return anchored({.basis = basis, .states = values, .taken = values}, outcome, episode, gamma, horizon);
}

AnchorEpisode anchor_episode(const RowMatrix& basis, const ActionSide::Numbers& values, const LoggedEpisode& episode,
                             double gamma, std::int64_t horizon, std::size_t draws) {
  const auto outcome = [&](std::int64_t t) { return t + 1 == horizon ? Outcome{} : outcome_with_actions(episode, t); };
  const std::size_t count = std::min(draws, values.state.size());
  return anchored(
      {.basis = basis, .states = std::span(values.state).first(count), .taken = std::span(values.taken).first(count)},
      outcome, episode, gamma, horizon);
}

AnchorStep& AnchorStep::operator+=(const AnchorStep& other) {
  weights += other.weights;
  squares += other.squares;
  residuals += other.residuals;
  sizes += other.sizes;
  count += other.count;
  return *this;
}

void AnchorSums::add(const AnchorEpisode& episode) {
  starts += episode.start;
  episodes += 1.0;
  for (std::size_t t = 0; t < episode.weight.size(); ++t) {
    const Scaled weight = episode.weight[t];
    AnchorStep& step = inside[t];
    step.count += 1.0;
    step.weights.add(weight);
    step.squares.add(weight * weight);
    step.residuals.add(times(weight, episode.residual[t]));
    step.sizes.add(times(weight, std::abs(episode.residual[t])));
  }
  const std::size_t end = episode.weight.size();
  if (end == 0 || end >= ended.size() || episode.lost_afterwards) return;
  ended[end].count += 1.0;
  ended[end].weights.add(episode.weight.back());
  ended[end].squares.add(episode.weight.back() * episode.weight.back());
}

AnchorSums& AnchorSums::operator+=(const AnchorSums& other) {
  if (inside.empty()) return *this = other;
  add_to(inside, other.inside);
  add_to(ended, other.ended);
  starts += other.starts;
  episodes += other.episodes;
  return *this;
}

void AnchorSums::write(ByteWriter& to) const {
  to.number(static_cast<std::uint64_t>(inside.size()));
  for (const auto* steps : {&inside, &ended}) {
    for (const AnchorStep& step : *steps) {
      for (const ScaledSum* sum : {&step.weights, &step.squares, &step.residuals, &step.sizes}) sum->write(to);
      to.number(step.count);
    }
  }
  to.number(starts);
  to.number(episodes);
}

AnchorSums AnchorSums::read(ByteReader& from) {
  const std::int64_t count = from.number_within(0, std::numeric_limits<std::int64_t>::max());
  AnchorSums sums;
  for (auto* steps : {&sums.inside, &sums.ended}) {
    for (std::int64_t t = 0; t < count; ++t) {  // one by one: bytes that are too few fail before they cost memory
      AnchorStep& step = steps->emplace_back();
      for (ScaledSum* sum : {&step.weights, &step.squares, &step.residuals, &step.sizes}) *sum = ScaledSum::read(from);
      step.count = from.finite();
    }
  }
  sums.starts = from.finite();
  sums.episodes = from.finite();
  return sums;
}

AnchorScorer::AnchorScorer(const AnchorSums& sums, double gamma) : steps_(sums.inside.size()) {
  const std::size_t horizon = steps_.size();
  AnchorStep ended;
  double discount = 1.0, importance = 0.0, per_size = 0.0;
  for (std::size_t t = 0; t < horizon; ++t, discount *= gamma) {
    ended += sums.ended[t];
    AnchorStep all = sums.inside[t];
    all += ended;
    const bool watched = (t + 1) * 8 / horizon != t * 8 / horizon;
    if (!(all.weights.sum > 0.0)) {
      if (watched) least_weight_ = 0.0;
      continue;
    }
    const double error = ratio(all.residuals, all.weights);
    const double matters = discount * ratio(all.sizes, all.weights);
    importance += matters;
    // squares / weights^2
    const ScaledSum per_weight{.sum = all.squares.sum / all.weights.sum,
                               .scale = all.squares.scale - all.weights.scale,
                               .empty = all.squares.empty};
    per_size += matters * ratio(per_weight, all.weights);
    if (watched) {
      const double mean = all.weights.to_double() / all.count;
      least_weight_ = std::min(least_weight_, mean);
      greatest_weight_ = std::max(greatest_weight_, mean);
    }
    steps_[t] = {.mean = discount * error,
                 .factor = {.sum = discount * all.count / all.weights.sum, .scale = -all.weights.scale, .empty = false},
                 .error = error};
  }
  mean_ = sums.episodes > 0.0 ? sums.starts / sums.episodes : 0.0;
  for (std::size_t t = horizon; t-- > 0;) {
    Step& step = steps_[t];
    step.later = step.mean;
    step.pulled.add(times({step.factor.sum, step.factor.scale}, step.error));
    if (t + 1 < horizon) {
      step.later += steps_[t + 1].later;
      step.pulled += steps_[t + 1].pulled;
    }
  }
  if (horizon > 0) mean_ += steps_.front().later;
  ess_ = per_size > 0.0 ? importance / per_size : sums.episodes;
}

double AnchorScorer::score(const AnchorEpisode& episode) const {
  double score = episode.start + (steps_.empty() ? 0.0 : steps_.front().later);
  for (std::size_t t = 0; t < episode.weight.size(); ++t) {
    const Step& step = steps_[t];
    score += product(episode.weight[t], step.factor) * (episode.residual[t] - step.error);
  }
  const std::size_t end = episode.weight.size();
  if (end > 0 && end < steps_.size() && !episode.lost_afterwards)
    score -= product(episode.weight.back(), steps_[end].pulled);
  return score;
}

AnchorScores anchor_scores(const std::vector<AnchorEpisode>& episodes, double gamma, std::int64_t horizon) {
  AnchorSums sums(horizon);
  for (const AnchorEpisode& episode : episodes) sums.add(episode);
  const AnchorScorer anchor(sums, gamma);
  AnchorScores result{
      .ess = anchor.ess(), .least_weight = anchor.least_weight(), .greatest_weight = anchor.greatest_weight()};
  for (const AnchorEpisode& episode : episodes) result.scores.push_back(anchor.score(episode));
  std::vector<double> centered = result.scores;
  const double mean = moments(centered).mean();
  for (double& s : centered) s -= mean;
  result.effective = effective_scores(centered);
  return result;
}

AnchorScores anchor_scores(const RowMatrix& basis, const StateSide& values, const Problem& problem,
                           std::span<const std::int64_t> episodes, Threads threads) {
  constexpr std::int64_t episodes_per_job = 64;
  const auto count = static_cast<std::int64_t>(episodes.size());
  const std::int64_t horizon = problem.horizon()->steps();
  std::vector<AnchorEpisode> all(episodes.size());
  parallel_for((count + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    WaveLook look;
    std::vector<std::int64_t> rows;
    std::vector<RowMatrix> evaluated;
    for (std::int64_t i = job * episodes_per_job; i < std::min(count, (job + 1) * episodes_per_job); ++i) {
      const LoggedEpisode episode = problem.episode(episodes[i]);
      rows_of_episode(episode, rows);
      values.evaluate(rows, look, evaluated);
      all[i] = anchor_episode(basis, evaluated, episode, problem.discount().gamma(), horizon);
    }
  });
  return anchor_scores(all, problem.discount().gamma(), horizon);
}

}  // namespace starope
