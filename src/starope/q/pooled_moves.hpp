#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/q/action_regression.hpp"
#include "starope/q/cell_moves.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// pi_e after the steps as combinations of few distributions: where it takes few different ones (the same in all states,
// a rule with some outcomes), those, and every step is followed by one of them; else the actions themselves, each with
// its probability.
class PolicyBasis {
 public:
  PolicyBasis(const QLogs& logs, std::span<const LoggedStep> steps);

  std::size_t count() const noexcept { return static_cast<std::size_t>(distributions_.size()); }
  std::span<const double> distribution(std::size_t c) const { return distributions_.row(static_cast<std::int64_t>(c)); }
  bool mixed() const noexcept { return mixed_; }                                 // steps are followed by combinations
  std::size_t of_step(std::size_t i) const { return mixed_ ? 0 : of_step_[i]; }  // if not

 private:
  DistinctRows distributions_;
  bool mixed_ = false;
  std::vector<std::size_t> of_step_;
};

// Moves (see cell_moves.hpp) of features that are numbers, in products pooled over the steps once and for all:
//   B_ac = sum over steps with action a of (share of distribution c in s') phi(s) phi(s')'
// so that backward and forward are products of small matrices. Scores are bilinear in phi(s) and (phi(s), phi(s')),
// with matrices sum n_a q_c' and sum n_a b_a' that cost the same for one (n, q, b) and for hundreds. Refers to logs,
// features and steps.
class PooledMoves {
 public:
  PooledMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps);

  // Whether the matrices cost less than so many passes over the steps, and are not too large.
  static bool pay(const QLogs& logs, const StateFeatures& features, std::optional<std::int64_t> passes);

  Coefficients backward(const Coefficients& q) const;
  Coefficients forward(const Coefficients& n) const;

  MoveScores no_scores() const;
  void add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b, MoveScores& scores) const;
  void add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const;

 private:
  std::size_t place(std::size_t a, std::size_t c) const { return (a * basis_.count() + c) * width_ * width_; }
  std::vector<double> expected(const Coefficients& q) const;  // sum over a of (probability of a) q_a, by distribution
  // use(action, distributions that follow, steps) for blocks of steps that agree in these.
  template <class Use>
  void for_each_block(const Use& use) const;

  const QLogs* logs_;
  const StateFeatures* features_;
  std::span<const LoggedStep> steps_;
  std::size_t width_, actions_;
  PolicyBasis basis_;
  std::vector<std::vector<std::size_t>> groups_;  // the steps of each (action, what follows: last comes the end)
  std::vector<double> products_;                  // B_ac, row by row
};

}  // namespace starope
