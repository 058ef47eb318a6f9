#include "starope/auto/wave_model.hpp"

#include <algorithm>

#include "starope/auto/backward.hpp"
#include "starope/problem.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

// Adds steps up in blocks, so that the sums of products are products of matrices. The functions of every state are
// found once: what follows a step is the next row of the block.
class StepBlock {
 public:
  StepBlock(const WaveRows& waves, std::size_t draw)
      : waves_(waves),
        draw_(draw),
        width_(static_cast<std::size_t>(waves.columns())),
        here_(RowMatrix::Zero(waves.columns(), waves.columns())),
        moves_(here_),
        reward_sum_(Eigen::VectorXd::Zero(waves.columns())) {}

  // A state, and the weight of the step taken in it: `weight` in the sums of the state itself, `moving` in those with
  // the state that is added next.
  void add(std::int64_t row, double weight, double moving, double reward) {
    push(row, weight, moving, reward);
    if (rows_.size() < rows_per_product) return;
    flush();
    if (moving != 0.0) push(row, 0.0, moving, 0.0);  // what follows is in the next block
  }

  void finish(WaveSums& sums) {
    flush();
    sums.here = here_.triangularView<Eigen::Lower>();
    sums.here.triangularView<Eigen::StrictlyUpper>() = sums.here.transpose();
    sums.moves = moves_;
    sums.reward = reward_sum_;
  }

 private:
  static constexpr std::size_t rows_per_product = 112;

  void push(std::int64_t row, double weight, double moving, double reward) {
    rows_.push_back(row);
    weight_.push_back(weight);
    moving_.push_back(moving);
    reward_.push_back(reward);
  }

  void flush() {
    const std::size_t count = rows_.size();
    if (count == 0) return;
    const auto rows = static_cast<Eigen::Index>(count);
    waves_.evaluate(draw_, rows_, functions_);
    weighted_.resize(rows, functions_.cols());
    for (Eigen::Index i = 0; i < rows; ++i) weighted_.row(i) = weight_[i] * functions_.row(i);
    reward_sum_.noalias() += weighted_.transpose() * Eigen::Map<const Eigen::VectorXd>(reward_.data(), rows);
    add_symmetric_product(weighted_.data(), functions_.data(), count, width_, here_.data());
    for (Eigen::Index i = 0; i < rows; ++i) {
      if (moving_[i] != weight_[i]) weighted_.row(i) = moving_[i] * functions_.row(i);
    }
    add_product({.rows = width_,
                 .columns = width_,
                 .depth = count - 1,
                 .left = MatrixView{weighted_.data(), width_}.transposed(),
                 .right = functions_.data() + width_,
                 .right_stride = width_,
                 .out = moves_.data(),
                 .out_stride = width_});
    rows_.clear();
    weight_.clear();
    moving_.clear();
    reward_.clear();
  }

  const WaveRows& waves_;
  std::size_t draw_, width_;
  RowMatrix here_, moves_;  // of the first, the lower triangle
  Eigen::VectorXd reward_sum_;
  std::vector<std::int64_t> rows_{};
  std::vector<double> weight_{}, moving_{}, reward_{};
  RowMatrix functions_{}, weighted_{};
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
      const double weight = discount * std::min(episode.ratios[t], greatest_ratio);
      const double reward = episode.rewards[t];
      const Outcome outcome = outcome_of(episode, t);
      sums.weight += weight;
      if (outcome.seen()) {
        block.add(first + t, weight, outcome.next_row ? weight : 0.0, reward);
        if (outcome.next_row && t + 1 == episode.length()) block.add(*outcome.next_row, 0.0, 0.0, 0.0);
        continue;
      }
      const std::int64_t here = first + t;
      block.add(here, 0.0, 0.0, 0.0);  // where the step before it leads
      if (weight == 0.0) continue;
      if (sums.unseen_here.size() == 0) {
        sums.unseen_here = Eigen::MatrixXd::Zero(d, d);
        sums.unseen_reward = Eigen::VectorXd::Zero(d);
      }
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
  model.values = Eigen::MatrixXd::Zero(d, horizon + 1);
  backward(inverse, sums.reward, sums.moves, options.gamma, model.values);
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
