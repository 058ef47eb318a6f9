#include "starope/inference/drawn_process.hpp"

#include <algorithm>
#include <cstddef>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_lengths = 100;  // a rollout without a horizon stops after so many of the longest episodes

}  // namespace

DrawnProcess::DrawnProcess(const Labels& labels, const Problem& problem, std::span<const double> times,
                           std::optional<std::int64_t> horizon, Of of)
    : gamma_(problem.discount().gamma()),
      most_steps_(horizon.value_or(most_lengths * problem.longest())),
      cells_(static_cast<std::size_t>(labels.cells)) {
  double started = 0.0;
  const auto label = [&](std::int64_t row) { return labels.of_row[row]; };
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const double count = times[i];
    if (count == 0.0) continue;
    const LoggedEpisode episode = problem.episode(i);
    started += count;
    starts_.push_back(label(episode.first_row));
    start_up_to_.push_back(started);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const double weight = of == Of::logged ? count : count * episode.ratios[t];
      if (weight == 0.0) continue;
      Outcome outcome = outcome_of(episode, t);
      if (!horizon && outcome.kind == Outcome::Kind::unknown) outcome = {};
      std::vector<Step>& steps = cells_[label(episode.first_row + t)];
      Step step{.reward = episode.rewards[t],
                .weight_up_to = (steps.empty() ? 0.0 : steps.back().weight_up_to) + weight,
                .seen_up_to = (steps.empty() ? 0.0 : steps.back().seen_up_to) + (outcome.seen() ? weight : 0.0),
                .next = {},
                .seen = outcome.seen()};
      if (outcome.next_row) step.next = label(*outcome.next_row);
      steps.push_back(step);
    }
  }
}

const DrawnProcess::Step& DrawnProcess::draw(const std::vector<Step>& steps, double Step::*sum, Random& random) const {
  const double place = random.uniform() * (steps.back().*sum);
  const auto at =
      std::upper_bound(steps.begin(), steps.end(), place, [sum](double x, const Step& step) { return x < step.*sum; });
  return at == steps.end() ? steps.back() : *at;
}

double DrawnProcess::rollout(Label z, Random& random) const {
  double total = 0.0, discount = 1.0;
  for (std::int64_t k = 0; k < most_steps_; ++k, discount *= gamma_) {
    const std::vector<Step>& steps = cells_[z];
    if (steps.empty()) break;
    const Step* step = &draw(steps, &Step::weight_up_to, random);
    total += discount * step->reward;
    if (!step->seen) {
      if (steps.back().seen_up_to == 0.0) break;
      step = &draw(steps, &Step::seen_up_to, random);
    }
    if (!step->next) break;
    z = *step->next;
  }
  return total;
}

std::vector<double> DrawnProcess::returns_from(Label start, std::int64_t rollouts, Seed seed,
                                               std::int64_t first) const {
  std::vector<double> returns;
  for (std::int64_t i = 0; i < rollouts; ++i) {
    Random random(seed, Stream::rollout, static_cast<std::uint64_t>(first + i));
    returns.push_back(rollout(start, random));
  }
  return returns;
}

std::vector<double> DrawnProcess::returns(std::int64_t rollouts, Seed seed) const {
  std::vector<double> returns;
  for (std::int64_t i = 0; i < rollouts; ++i) {
    Random random(seed, Stream::rollout, static_cast<std::uint64_t>(i));
    const double place = random.uniform() * start_up_to_.back();
    const auto at = std::upper_bound(start_up_to_.begin(), start_up_to_.end(), place) - start_up_to_.begin();
    const auto start = std::min(static_cast<std::size_t>(at), starts_.size() - 1);
    returns.push_back(rollout(starts_[start], random));
  }
  return returns;
}

}  // namespace starope
