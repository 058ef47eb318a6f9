#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/qfunction/action_regression.hpp"
#include "starope/qfunction/q_logs.hpp"
#include "starope/qfunction/q_values.hpp"
#include "starope/qfunction/state_features.hpp"

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

// How the mean of V(s_0) reacts to episodes through the fit, and what the fit could not know.
struct QInfluence {
  std::vector<double> of_episode{};  // one per episode of the problem; V(s_0) - J itself is not in it
  double unseen = 0.0;               // (discounted) probability of reaching a pair (cell, action) without data
  std::int64_t unseen_pairs = 0;
};

// One step back in time by least squares: from a Q-function to the regression of r + g sum_a pi_e(a|s') Q(s', a) on
// (s, a). Rewards and outcomes are regressed apart, because a step whose outcome nobody saw still has a reward.
class LinearBackup {
 public:
  LinearBackup(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes, double ridge);

  // Fitted Q evaluation (Le, Voloshin & Yue 2019): with a horizon from the last step backwards, without one until
  // nothing changes any more.
  QLayers fit() const;

  Coefficients reward() const { return reward_; }
  Coefficients outcome(const Coefficients& q) const;  // of the expected value of q in the next state
  const StateFeatures& features() const noexcept { return *features_; }

  // For layers that solve the backup: with nu_k the discounted features of step k under pi_e (for indicators: the
  // probability of being in a cell and taking an action there) and G the Gram matrices, episode i has the influence
  //   V(s_0) - J + n sum_t [ phi' G^-1 (sum_k nu_k) (r - phi' b_r) + g sum_k phi' G_o^-1 nu_k (V_{k+1}(s') - phi' b_k)
  //   ]
  // on J. The first two terms are left to the caller.
  QInfluence influence(const QLayers& layers) const;

 private:
  std::vector<double> next_values(const Coefficients& q) const;  // of the steps whose outcome is known; 0 after an end
  Coefficients total(const Coefficients& outcome) const;
  Coefficients start_direction() const;
  Coefficients step_forward(std::span<const double> leverage) const;

  const QLogs* logs_;
  const StateFeatures* features_;
  double gamma_;
  std::vector<std::int64_t> episodes_;
  std::vector<LoggedStep> steps_, known_;  // all; those whose outcome is known
  std::vector<std::int64_t> next_rows_;    // of known_, without the ends ...
  std::vector<std::size_t> next_of_;       // ... and which of known_ they follow
  ActionRegression on_rewards_, on_outcomes_;
  Coefficients reward_;
};

// Q on the steps of these episodes, each at its own time.
void write_values(const QLayers& layers, const QLogs& logs, const StateFeatures& features,
                  std::span<const std::int64_t> episodes, QValues& values);

}  // namespace starope
