#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/q/action_regression.hpp"
#include "starope/q/cell_moves.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// Moves (see cell_moves.hpp) of features that are numbers, every product a pass over all steps: for features so many
// that their pooled products would be too large or not worth their cost. Refers to logs and features.
class StepMoves {
 public:
  StepMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps);

  Coefficients backward(const Coefficients& q) const;
  Coefficients forward(const Coefficients& n) const;

  MoveScores no_scores() const { return MoveScores(steps_.size(), 0.0); }
  void add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b, MoveScores& scores) const;
  void add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const;

 private:
  std::vector<double> next_values(const Coefficients& q) const;  // 0 after an end

  const QLogs* logs_;
  const StateFeatures* features_;
  TakenRows steps_;
  std::vector<std::int64_t> episode_of_step_;
  std::vector<std::int64_t> next_rows_;  // without the ends ...
  std::vector<std::size_t> next_of_;     // ... and which of the steps they follow
};

}  // namespace starope
