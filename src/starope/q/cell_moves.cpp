#include "starope/q/cell_moves.hpp"

#include <cstdint>
#include <unordered_map>

#include "starope/clustering/distinct_rows.hpp"

namespace starope {

CellMoves::CellMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps)
    : width_(static_cast<std::size_t>(features.width)), actions_(static_cast<std::size_t>(logs.actions())), nodes_(1) {
  DistinctRows policies(logs.actions());
  std::unordered_map<std::uint64_t, std::size_t> node_of, move_of;  // products that 32 bits of a browser need not hold
  const auto cell = [&](std::int64_t row) { return std::size_t{features.cell[row]}; };
  move_of_step_.reserve(steps.size());
  episode_of_step_.reserve(steps.size());
  for (const LoggedStep& step : steps) {
    std::size_t node = 0;
    if (step.outcome == Outcome::Kind::next) {
      const auto policy = logs.target(step.next_row);
      const std::size_t z = cell(step.next_row);
      const auto [found, is_new] =
          node_of.emplace(static_cast<std::uint64_t>(policies.add(policy).number) * width_ + z, nodes_.size());
      if (is_new) nodes_.push_back({.cell = z, .policy = {policy.begin(), policy.end()}});
      node = found->second;
    }
    const std::size_t pairs = width_ * actions_;
    const std::size_t pair = static_cast<std::size_t>(step.action) * width_ + cell(step.row);
    const auto [found, is_new] = move_of.emplace(std::uint64_t{node} * pairs + pair, moves_.size());
    if (is_new) moves_.push_back({.pair = pair, .node = node});
    moves_[found->second].count += 1.0;
    move_of_step_.push_back(found->second);
    episode_of_step_.push_back(step.episode);
  }
}

std::vector<double> CellMoves::node_values(const Coefficients& q) const {
  std::vector<double> values(nodes_.size(), 0.0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    for (std::size_t a = 0; a < actions_; ++a) {
      if (nodes_[i].policy[a] != 0.0) values[i] += nodes_[i].policy[a] * q[a * width_ + nodes_[i].cell];
    }
  }
  return values;
}

Coefficients CellMoves::backward(const Coefficients& q) const {
  const std::vector<double> v = node_values(q);
  Coefficients sum(width_ * actions_, 0.0);
  for (const Move& move : moves_) sum[move.pair] += move.count * v[move.node];
  return sum;
}

Coefficients CellMoves::forward(const Coefficients& n) const {
  std::vector<double> arriving(nodes_.size(), 0.0);
  for (const Move& move : moves_) arriving[move.node] += move.count * n[move.pair];
  Coefficients sum(width_ * actions_, 0.0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    for (std::size_t a = 0; a < actions_; ++a) sum[a * width_ + nodes_[i].cell] += nodes_[i].policy[a] * arriving[i];
  }
  return sum;
}

void CellMoves::add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b,
                           MoveScores& scores) const {
  const std::vector<double> v = node_values(q);
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    const std::size_t pair = moves_[m].pair;
    scores[m] += n[pair] * (v[moves_[m].node] - b[pair]);
  }
}

void CellMoves::add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const {
  for (std::size_t i = 0; i < move_of_step_.size(); ++i) of_episode[episode_of_step_[i]] += scores[move_of_step_[i]];
}

}  // namespace starope
