#include "starope/auto/wave_model.hpp"

#include <algorithm>
#include <optional>

#include "starope/problem.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

// Adds steps up in blocks, so that the sums of products are products of matrices.
class StepBlock {
 public:
  StepBlock(const WaveRows& waves, std::size_t draw)
      : waves_(waves),
        draw_(draw),
        products_(RowMatrix::Zero(waves.columns(), 2 * waves.columns())),
        reward_sum_(Eigen::VectorXd::Zero(waves.columns())) {}

  void add(std::int64_t row, const Outcome& outcome, double weight, double reward) {
    rows_.push_back(row);
    next_.push_back(outcome.next_row);
    weight_.push_back(weight);
    reward_.push_back(reward);
    if (rows_.size() == steps_per_product) flush();
  }

  void flush() {
    const auto count = static_cast<Eigen::Index>(rows_.size());
    if (count == 0) return;
    const Eigen::Index d = waves_.columns();
    waves_.evaluate(draw_, rows_, here_);
    both_.setZero(count, 2 * d);
    both_.leftCols(d) = here_;
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      here_.row(i) *= weight_[at];
      reward_sum_ += reward_[at] * here_.row(i).transpose();
      if (!next_[at]) continue;
      waves_.evaluate(draw_, std::span(&*next_[at], 1), then_);
      both_.row(i).tail(d) = then_.row(0);
    }
    const auto width = static_cast<std::size_t>(d);
    add_product({.rows = width,
                 .columns = 2 * width,
                 .depth = rows_.size(),
                 .left = MatrixView{here_.data(), width}.transposed(),
                 .right = both_.data(),
                 .right_stride = 2 * width,
                 .out = products_.data(),
                 .out_stride = 2 * width});
    rows_.clear();
    next_.clear();
    weight_.clear();
    reward_.clear();
  }

  void finish(WaveSums& sums) {
    flush();
    const Eigen::Index d = waves_.columns();
    sums.here = products_.leftCols(d);
    sums.moves = products_.rightCols(d);
    sums.reward = reward_sum_;
  }

 private:
  static constexpr std::size_t steps_per_product = 256;

  const WaveRows& waves_;
  std::size_t draw_;
  RowMatrix products_;  // [here | moves]
  Eigen::VectorXd reward_sum_;
  std::vector<std::int64_t> rows_{};
  std::vector<std::optional<std::int64_t>> next_{};
  std::vector<double> weight_{}, reward_{};
  RowMatrix here_{}, both_{}, then_{};
};

}  // namespace

WaveSums& WaveSums::operator+=(const WaveSums& other) {
  if (here.size() == 0) return *this = other;
  here += other.here;
  moves += other.moves;
  reward += other.reward;
  start += other.start;
  weight += other.weight;
  if (other.unseen_here.size() == 0) return *this;
  if (unseen_here.size() == 0) {
    unseen_here = other.unseen_here;
    unseen_reward = other.unseen_reward;
  } else {
    unseen_here += other.unseen_here;
    unseen_reward += other.unseen_reward;
  }
  return *this;
}

WaveSums wave_sums(const WaveRows& waves, std::size_t draw, const Problem& problem,
                   std::span<const std::int64_t> episodes, double greatest_ratio) {
  const Eigen::Index d = waves.columns();
  WaveSums sums{.start = Eigen::VectorXd::Zero(d)};
  StepBlock block(waves, draw);
  RowMatrix row;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = problem.episode(i);
    const std::int64_t first = episode.first_row;
    waves.evaluate(draw, std::span(&first, 1), row);
    sums.start += row.row(0).transpose();
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t, discount *= problem.discount().gamma()) {
      const double weight = discount * std::min(episode.ratios[static_cast<std::size_t>(t)], greatest_ratio);
      if (weight == 0.0) continue;
      sums.weight += weight;
      const double reward = episode.rewards[static_cast<std::size_t>(t)];
      const Outcome outcome = outcome_of(episode, t);
      if (outcome.seen()) {
        block.add(first + t, outcome, weight, reward);
        continue;
      }
      if (sums.unseen_here.size() == 0) {
        sums.unseen_here = Eigen::MatrixXd::Zero(d, d);
        sums.unseen_reward = Eigen::VectorXd::Zero(d);
      }
      const std::int64_t here = first + t;
      waves.evaluate(draw, std::span(&here, 1), row);
      sums.unseen_here.noalias() += weight * row.row(0).transpose() * row.row(0);
      sums.unseen_reward += weight * reward * row.row(0).transpose();
    }
  }
  block.finish(sums);
  return sums;
}

WaveModel solve(const WaveSums& sums, const WaveSolve& options) {
  const Eigen::Index d = sums.here.rows(), horizon = options.horizon;
  WaveModel model;
  Eigen::MatrixXd regular = sums.here;
  regular.diagonal().array() += options.ridge * std::max(sums.weight, 1e-300);
  const Eigen::LLT<Eigen::MatrixXd> inverse(regular);
  const Eigen::VectorXd once = inverse.solve(sums.reward);
  const Eigen::MatrixXd step = options.gamma * inverse.solve(sums.moves);
  model.values = Eigen::MatrixXd::Zero(d, horizon + 1);
  for (Eigen::Index k = horizon; k-- > 0;) {
    model.values.col(k) = once;
    model.values.col(k).noalias() += step * model.values.col(k + 1);
  }
  if (options.occupancy) {
    const Eigen::MatrixXd back = options.gamma * inverse.solve(sums.moves.transpose());
    model.occupancy.resize(d, horizon);
    model.occupancy.col(0) = inverse.solve(sums.start);
    for (Eigen::Index k = 1; k < horizon; ++k) model.occupancy.col(k).noalias() = back * model.occupancy.col(k - 1);
  }
  if (sums.unseen_here.size() == 0) {
    model.reward = Eigen::VectorXd::Zero(d);
  } else {
    model.reward = Eigen::LLT<Eigen::MatrixXd>(regular + sums.unseen_here).solve(sums.reward + sums.unseen_reward);
  }
  return model;
}

}  // namespace starope
