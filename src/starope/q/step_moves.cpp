#include "starope/q/step_moves.hpp"

namespace starope {

StepMoves::StepMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps)
    : logs_(&logs), features_(&features), steps_(steps) {
  episode_of_step_.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    episode_of_step_.push_back(steps[i].episode);
    if (steps[i].outcome != Outcome::Kind::next) continue;
    next_rows_.push_back(steps[i].next_row);
    next_of_.push_back(i);
  }
}

std::vector<double> StepMoves::next_values(const Coefficients& q) const {
  const auto actions = static_cast<std::size_t>(logs_->actions());
  const std::vector<double> q_next = linear_values(*features_, q, logs_->actions(), next_rows_);
  std::vector<double> values(steps_.size(), 0.0);
  for (std::size_t j = 0; j < next_rows_.size(); ++j)
    values[next_of_[j]] =
        mean_over_actions(logs_->target(next_rows_[j]), std::span(q_next).subspan(j * actions, actions));
  return values;
}

Coefficients StepMoves::backward(const Coefficients& q) const {
  Coefficients sum(q.size(), 0.0);
  add_taken_features(*features_, steps_, next_values(q), sum);
  return sum;
}

Coefficients StepMoves::forward(const Coefficients& n) const {
  const std::vector<double> leaving = taken_values(*features_, n, steps_);
  std::vector<double> arriving;
  arriving.reserve(next_rows_.size() * static_cast<std::size_t>(logs_->actions()));
  for (std::size_t j = 0; j < next_rows_.size(); ++j) {
    for (const double p : logs_->target(next_rows_[j])) arriving.push_back(leaving[next_of_[j]] * p);
  }
  Coefficients sum(n.size(), 0.0);
  add_features(*features_, next_rows_, arriving, logs_->actions(), sum);
  return sum;
}

void StepMoves::add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b,
                           MoveScores& scores) const {
  const std::vector<double> leverage = taken_values(*features_, n, steps_);
  const std::vector<double> next = next_values(q), here = taken_values(*features_, b, steps_);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += leverage[i] * (next[i] - here[i]);
}

void StepMoves::add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const {
  for (std::size_t i = 0; i < scores.size(); ++i) of_episode[episode_of_step_[i]] += scores[i];
}

}  // namespace starope
