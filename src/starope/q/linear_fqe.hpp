#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "starope/base/work.hpp"
#include "starope/q/action_regression.hpp"
#include "starope/q/cell_moves.hpp"
#include "starope/q/pooled_moves.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_values.hpp"
#include "starope/q/state_features.hpp"
#include "starope/q/step_moves.hpp"

namespace starope {

// A Q-function that is linear in features, for every number of steps to go: Q_s = reward + g * outcome[s - 1]; what
// has more steps to go than there are layers uses the last one. Without horizon there is one layer, for all times.
struct QLayers {
  Coefficients reward{};
  std::vector<Coefficients> outcome{};
  std::int64_t iterations = 0;
  bool converged = true;

  const Coefficients& outcome_at(std::int64_t steps_to_go) const {
    const auto s = static_cast<std::size_t>(steps_to_go);
    return outcome[(s < outcome.size() ? s : outcome.size()) - 1];
  }
};

// How a function of Q's values reacts to episodes through the fit, and what the fit could not know.
struct QInfluence {
  std::vector<double> of_episode{};  // one per episode of the problem: the derivative in how often it counts
  double unseen = 0.0;               // how much of the slope arrives at pairs (cell, action) without data
  std::int64_t unseen_pairs = 0;

  QInfluence& operator+=(const QInfluence& other);
};

// One step back in time by least squares: from a Q-function to the regression of r + g sum_a pi_e(a|s') Q(s', a) on
// (s, a). Rewards and outcomes are regressed apart, because a step whose outcome nobody saw still has a reward.
class LinearBackup {
 public:
  LinearBackup(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes, double ridge);

  // Fitted Q evaluation (Le, Voloshin & Yue 2019): with a horizon from the last step backwards, without one until
  // nothing changes any more.
  QLayers fit() const;
  StepBudget budget_of(std::int64_t iterations) const;

  Coefficients reward() const { return reward_; }
  Coefficients outcome(const Coefficients& q) const;  // of the expected value of q in the next state
  const StateFeatures& features() const noexcept { return *features_; }

  // For layers that solve the backup, and a J whose derivative in Q(row, a) is slope (steps x actions) on the rows of
  // these episodes: the slope at time k as features, o_k, is carried forward, nu_k = o_k + g P' nu_{k-1}, and with G
  // the Gram matrices the derivative of J in how often episode i counts is
  //   sum_t [ phi' G^-1 (sum_k nu_k) (r - phi' b_r) + g sum_k phi' G_o^-1 nu_k (V_{k+1}(s') - phi' b_k) ].
  // For J = mean V(s_0) and indicators, nu_k is the probability of being in a cell at step k and taking an action.
  QInfluence influence(const QLayers& layers, std::span<const double> slope,
                       std::span<const std::int64_t> episodes) const;

 private:
  using Moves = std::variant<CellMoves, PooledMoves, StepMoves>;
  Moves make_moves() const;
  Coefficients total(const Coefficients& outcome) const;
  std::vector<Coefficients> directions(std::span<const double> slope, std::span<const std::int64_t> episodes) const;
  void add_reward_part(const Coefficients& sum, std::vector<double>& of_episode) const;
  void find_unseen(const Coefficients& visited, const Coefficients& left, QInfluence& result) const;

  const QLogs* logs_;
  const StateFeatures* features_;
  double gamma_;
  std::vector<LoggedStep> steps_, known_;  // all; those whose outcome is known
  ActionRegression on_rewards_, on_outcomes_;
  Moves moves_;  // of known_
  Coefficients reward_;
  std::vector<double> reward_residual_;  // of every step
};

// The derivative of mean V(s_0) in Q(row, a): pi_e(a|s_0) / n in first steps. Steps x actions.
std::vector<double> start_slope(const QLogs& logs);

// Q on the steps of these episodes, each at its own time.
void write_values(const QLayers& layers, const QLogs& logs, const StateFeatures& features,
                  std::span<const std::int64_t> episodes, QValues& values);

}  // namespace starope
