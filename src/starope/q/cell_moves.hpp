#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/q/action_regression.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// Where steps whose outcome is known lead, as linear maps of coefficients. CellMoves, PooledMoves and StepMoves say the
// same about the same steps: the first for indicator features, the others for numbers.
//   backward(q): sum over steps of V_q(s') phi(s) for the action taken, V_q(s') = sum_a pi_e(a|s') q_a . phi(s')
//   forward(n):  its transpose, sum over steps of (n_a . phi(s)) pi_e(.|s') phi(s')
//   scores:      sums of (n_a . phi(s)) (V_q(s') - b_a . phi(s)) for every step, over as many (n, q, b) as are added;
//                in a form that only the moves themselves can read, and add to the episodes that the steps belong to.
// After the end of an episode V is 0.
using MoveScores = std::vector<double>;

// A step is a move between a pair (action, cell) and a node (cell, distribution of pi_e), and equal moves are kept
// once, with their number: what a table costs depends on the different moves, not on the steps.
class CellMoves {
 public:
  CellMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps);

  Coefficients backward(const Coefficients& q) const;
  Coefficients forward(const Coefficients& n) const;

  MoveScores no_scores() const { return MoveScores(moves_.size(), 0.0); }
  void add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b, MoveScores& scores) const;
  void add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const;

 private:
  struct Node {
    std::size_t cell = 0;
    std::vector<double> policy{};
  };
  struct Move {
    std::size_t pair = 0, node = 0;
    double count = 0.0;
  };
  std::vector<double> node_values(const Coefficients& q) const;

  std::size_t width_, actions_;
  std::vector<Node> nodes_;  // the first one is the end, which has no policy
  std::vector<Move> moves_;
  std::vector<std::size_t> move_of_step_;
  std::vector<std::int64_t> episode_of_step_;
};

}  // namespace starope
