#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "starope/auto/action_basis.hpp"
#include "starope/auto/wave_model.hpp"
#include "starope/problem.hpp"

namespace starope {

// What values of actions need to know of episodes, for one draw of functions: sums, so that parts merge. With phi and
// psi as in ActionBasis, a step with action a has chi = [phi, psi where a is, 0 where other actions are], and a state
// has f = [phi, p_0 psi, p_1 psi, ...]: the mean of chi over the target policy's actions. Nothing is weighed by ratios.
// A state after the last step has no logged distribution: what leads there is not seen.
struct ActionSums {
  Eigen::MatrixXd here{};    // sum over seen steps of g^t chi chi'
  Eigen::MatrixXd moves{};   // sum over seen steps of g^t chi f_next' (0 after a termination)
  Eigen::VectorXd reward{};  // sum over seen steps of g^t chi r
  Eigen::MatrixXd unseen_here{};
  Eigen::VectorXd unseen_reward{};
  double weight = 0.0;    // sum of g^t over all steps
  double greatest = 0.0;  // reward, in size

  ActionSums& operator+=(const ActionSums& other);
};
ActionSums action_sums(const ActionRows& rows, std::size_t draw, const Problem& problem,
                       std::span<const std::int64_t> episodes);

// Fitted Q evaluation, solved for every number of steps (docs/auto-math.md 4.7): with A = here + ridge,
//
//     b_H = 0, b_k = A^-1 (R + g B b_{k+1})        Q_k(s, a) = chi' b_k,  V_k(s) = f' b_k
//     c = (A + unseen)^-1 (R + unseen rewards)     r(s, a) = chi' c
//
// Where values grow beyond what rewards can add up to, the regression has run away, and the ridge is made larger.
struct ActionModel {
  Eigen::MatrixXd values{};  // columns k = 0 .. H: b_k
  Eigen::VectorXd reward{};  // c; zero where every outcome was seen: it then cancels
};
struct ActionSolve {
  double gamma = 1.0;
  std::int64_t horizon = 1;
  double ridge = 1e-4;  // times the sum of the weights
};
ActionModel solve(const ActionSums& sums, const ActionSolve& options);

// Functions of several draws, and the sums of groups of episodes.
struct ActionValues {
  ActionRows rows;
  std::vector<std::vector<ActionSums>> of_group{};  // [group][draw]
};
// `groups`: of episodes. Where they have very many steps, only some episodes of each are looked at.
ActionValues fit_actions(const BagFeatures& features, const Problem& problem, const ActionOptions& options,
                         const std::vector<std::vector<std::int64_t>>& groups, Threads threads = Threads::all());
// Models of the episodes in some groups: one per draw, for the first `draws` of them.
std::vector<ActionModel> action_models(const ActionValues& actions, std::span<const std::size_t> groups,
                                       const ActionSolve& options,
                                       std::size_t draws = std::numeric_limits<std::size_t>::max());

// What follows a step, as far as values of actions can know it.
inline Outcome outcome_with_actions(const LoggedEpisode& episode, std::int64_t t) {
  const Outcome outcome = outcome_of(episode, t);
  if (outcome.next_row && t + 1 == episode.length()) return {.kind = Outcome::Kind::unknown, .next_row = {}};
  return outcome;
}

}  // namespace starope
