#include "starope/qfunction/pooled_moves.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>

#include "starope/qfunction/matrix_product.hpp"

namespace starope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;
using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

constexpr std::size_t block_steps = 256;

// Every step enters the products of one distribution instead of all actions, so some more of them than actions still
// pay.
std::size_t most_distributions(std::size_t actions) {
  return 4 * actions;
}

Matrix gather(const StateFeatures& features, std::span<const LoggedStep> steps, std::span<const std::size_t> block,
              std::int64_t LoggedStep::*which) {
  std::vector<std::int64_t> rows;
  rows.reserve(block.size());
  for (const std::size_t i : block) rows.push_back(steps[i].*which);
  Matrix numbers(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(features.width));
  copy_rows(features, rows, numbers.data());
  return numbers;
}

// x times a square matrix.
Matrix times(const Matrix& x, const double* square) {
  const auto width = static_cast<std::size_t>(x.cols());
  Matrix result = Matrix::Zero(x.rows(), x.cols());
  add_product({.rows = static_cast<std::size_t>(x.rows()),
               .columns = width,
               .depth = width,
               .left = {x.data(), width},
               .right = square,
               .right_stride = width,
               .out = result.data(),
               .out_stride = width});
  return result;
}

// How probable action c is after every step of a block.
Eigen::VectorXd shares(const QLogs& logs, std::span<const LoggedStep> steps, std::span<const std::size_t> block,
                       std::size_t c) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(block.size()));
  for (std::size_t i = 0; i < block.size(); ++i)
    result[static_cast<Eigen::Index>(i)] = logs.target(steps[block[i]].next_row)[c];
  return result;
}

}  // namespace

PolicyBasis::PolicyBasis(const QLogs& logs, std::span<const LoggedStep> steps) : distributions_(logs.actions()) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  of_step_.assign(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size() && !mixed_; ++i) {
    if (steps[i].outcome == StepOutcome::next)
      of_step_[i] = static_cast<std::size_t>(distributions_.add(logs.target(steps[i].next_row)).number);
    mixed_ = count() > most_distributions(actions);
  }
  if (!mixed_) return;
  distributions_ = DistinctRows(logs.actions());
  for (std::size_t a = 0; a < actions; ++a) {
    std::vector<double> only(actions, 0.0);
    only[a] = 1.0;
    distributions_.add(only);
  }
}

bool PooledMoves::pay(const QLogs& logs, const StateFeatures& features, std::optional<std::int64_t> passes) {
  constexpr std::size_t most_numbers = std::size_t{1} << 25U;
  const auto actions = static_cast<std::size_t>(logs.actions()), width = static_cast<std::size_t>(features.width);
  // Per step and distribution a pass costs width, the products width^2.
  return (!passes || features.width <= *passes) &&
         actions * most_distributions(actions) * width * width <= most_numbers;
}

PooledMoves::PooledMoves(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps)
    : logs_(&logs),
      features_(&features),
      steps_(steps),
      width_(static_cast<std::size_t>(features.width)),
      actions_(static_cast<std::size_t>(logs.actions())),
      basis_(logs, steps) {
  const std::size_t followers = (basis_.mixed() ? 1 : basis_.count()) + 1;
  groups_.resize(actions_ * followers);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool ended = steps[i].outcome == StepOutcome::ended;
    groups_[static_cast<std::size_t>(steps[i].action) * followers + (ended ? followers - 1 : basis_.of_step(i))]
        .push_back(i);
  }
  products_.assign(actions_ * basis_.count() * width_ * width_, 0.0);
  for_each_block([&](std::size_t a, std::span<const std::size_t> followed_by, std::span<const std::size_t> block) {
    if (followed_by.empty()) return;
    const Matrix here = gather(features, steps, block, &LoggedStep::row);
    const Matrix next = gather(features, steps, block, &LoggedStep::next_row);
    for (const std::size_t c : followed_by) {
      const Matrix followed = basis_.mixed() ? Matrix(shares(logs, steps, block, c).asDiagonal() * here) : here;
      add_product({.rows = width_,
                   .columns = width_,
                   .depth = block.size(),
                   .left = MatrixView{followed.data(), width_}.transposed(),
                   .right = next.data(),
                   .right_stride = width_,
                   .out = products_.data() + place(a, c),
                   .out_stride = width_});
    }
  });
}

template <class Use>
void PooledMoves::for_each_block(const Use& use) const {
  std::vector<std::size_t> all(basis_.count());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::size_t followers = groups_.size() / actions_;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t follower = g % followers;
    std::span<const std::size_t> followed_by = all;
    if (follower == followers - 1) {
      followed_by = {};
    } else if (!basis_.mixed()) {
      followed_by = followed_by.subspan(follower, 1);
    }
    const std::span<const std::size_t> group = groups_[g];
    for (std::size_t first = 0; first < group.size(); first += block_steps)
      use(g / followers, followed_by, group.subspan(first, std::min(block_steps, group.size() - first)));
  }
}

std::vector<double> PooledMoves::expected(const Coefficients& q) const {
  std::vector<double> result(basis_.count() * width_, 0.0);
  const auto width = static_cast<Eigen::Index>(width_);
  for (std::size_t c = 0; c < basis_.count(); ++c) {
    for (std::size_t a = 0; a < actions_; ++a)
      Vector(result.data() + c * width_, width) +=
          basis_.distribution(c)[a] * ConstVector(q.data() + a * width_, width);
  }
  return result;
}

Coefficients PooledMoves::backward(const Coefficients& q) const {
  const std::vector<double> of_next = expected(q);
  const auto width = static_cast<Eigen::Index>(width_);
  Coefficients sum(q.size(), 0.0);
  for (std::size_t a = 0; a < actions_; ++a) {
    for (std::size_t c = 0; c < basis_.count(); ++c)
      Vector(sum.data() + a * width_, width).noalias() += ConstMatrixMap(products_.data() + place(a, c), width, width) *
                                                          ConstVector(of_next.data() + c * width_, width);
  }
  return sum;
}

Coefficients PooledMoves::forward(const Coefficients& n) const {
  const auto width = static_cast<Eigen::Index>(width_);
  Coefficients sum(n.size(), 0.0);
  Eigen::VectorXd arriving(width);
  for (std::size_t c = 0; c < basis_.count(); ++c) {
    arriving.setZero();
    for (std::size_t a = 0; a < actions_; ++a)
      arriving.noalias() += ConstMatrixMap(products_.data() + place(a, c), width, width).transpose() *
                            ConstVector(n.data() + a * width_, width);
    for (std::size_t a = 0; a < actions_; ++a)
      Vector(sum.data() + a * width_, width) += basis_.distribution(c)[a] * arriving;
  }
  return sum;
}

// The matrices sum n_a q_c' of all (a, c), behind them the matrices sum n_a b_a' of all a.
MoveScores PooledMoves::no_scores() const {
  return MoveScores(products_.size() + actions_ * width_ * width_, 0.0);
}

void PooledMoves::add_scores(const Coefficients& n, const Coefficients& q, const Coefficients& b,
                             MoveScores& scores) const {
  const std::vector<double> of_next = expected(q);
  const auto width = static_cast<Eigen::Index>(width_);
  for (std::size_t a = 0; a < actions_; ++a) {
    const ConstVector n_a(n.data() + a * width_, width);
    for (std::size_t c = 0; c < basis_.count(); ++c)
      MatrixMap(scores.data() + place(a, c), width, width).noalias() +=
          n_a * ConstVector(of_next.data() + c * width_, width).transpose();
    MatrixMap(scores.data() + products_.size() + a * width_ * width_, width, width).noalias() +=
        n_a * ConstVector(b.data() + a * width_, width).transpose();
  }
}

void PooledMoves::add_to_episodes(const MoveScores& scores, std::span<double> of_episode) const {
  for_each_block([&](std::size_t a, std::span<const std::size_t> followed_by, std::span<const std::size_t> block) {
    const Matrix here = gather(*features_, steps_, block, &LoggedStep::row);
    const auto image = [&](std::size_t matrix) { return times(here, scores.data() + matrix); };
    Eigen::VectorXd score = -image(products_.size() + a * width_ * width_).cwiseProduct(here).rowwise().sum();
    if (!followed_by.empty()) {
      const Matrix next = gather(*features_, steps_, block, &LoggedStep::next_row);
      for (const std::size_t c : followed_by) {
        const Eigen::VectorXd part = image(place(a, c)).cwiseProduct(next).rowwise().sum();
        score += basis_.mixed() ? Eigen::VectorXd(shares(*logs_, steps_, block, c).cwiseProduct(part)) : part;
      }
    }
    for (std::size_t i = 0; i < block.size(); ++i)
      of_episode[static_cast<std::size_t>(steps_[block[i]].episode)] += score[static_cast<Eigen::Index>(i)];
  });
}

}  // namespace starope
