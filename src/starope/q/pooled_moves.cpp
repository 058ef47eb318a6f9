#include "starope/q/pooled_moves.hpp"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <numeric>

#include "starope/stats/matrix_product.hpp"

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

// Adds x times a matrix.
void add_times(const Matrix& x, const Matrix& factor, Matrix& out) {
  const auto columns = static_cast<std::size_t>(factor.cols());
  const auto depth = static_cast<std::size_t>(x.cols());
  add_product({.rows = static_cast<std::size_t>(x.rows()),
               .columns = columns,
               .depth = depth,
               .left = {x.data(), depth},
               .right = factor.data(),
               .right_stride = columns,
               .out = out.data(),
               .out_stride = columns});
}

Matrix times(const Matrix& x, const Matrix& factor) {
  Matrix result = Matrix::Zero(x.rows(), factor.cols());
  add_times(x, factor, result);
  return result;
}

// x' S_c y = (left' x) . (right_c' y) for matrices S_0, S_1, ...; without `left` it is the identity.
struct SplitForms {
  Matrix left{};
  std::vector<Matrix> right{};
};

std::vector<Matrix> transposed_blocks(const Matrix& side_by_side, Eigen::Index width) {
  std::vector<Matrix> blocks;
  for (Eigen::Index first = 0; first < side_by_side.cols(); first += width)
    blocks.emplace_back(side_by_side.middleCols(first, width).transpose());
  return blocks;
}

// Q-functions of neighboring times are so much alike that few directions span them all: beyond these, the pivots of an
// orthogonal decomposition of the matrices side by side are rounding. (Of the largest pivot: features are standardized,
// or bits, so that none is small for its unit.) Without more steps than that the decomposition costs more than it
// saves.
SplitForms split(const Matrix& side_by_side, std::size_t steps) {
  constexpr double rounding = 1e-15;
  const Eigen::Index width = side_by_side.rows();
  if (2 * static_cast<Eigen::Index>(steps) <= side_by_side.cols())
    return {.left = {}, .right = transposed_blocks(side_by_side, width)};
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> found(side_by_side);
  const Eigen::VectorXd pivots = found.matrixQR().diagonal().cwiseAbs();
  Eigen::Index rank = 1;
  while (rank < width && pivots[rank] > rounding * pivots[0]) ++rank;
  // Three products of this rank instead of two of full rank.
  if (3 * rank >= 2 * width) return {.left = {}, .right = transposed_blocks(side_by_side, width)};
  const Eigen::MatrixXd upper = found.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  return {.left = found.householderQ() * Eigen::MatrixXd::Identity(width, rank),
          .right = transposed_blocks(upper * found.colsPermutation().transpose(), width)};
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
    if (steps[i].outcome == Outcome::Kind::next)
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
    const bool ended = steps[i].outcome == Outcome::Kind::ended;
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
  const auto width = static_cast<Eigen::Index>(width_);
  const std::size_t count = basis_.count();
  const std::size_t followers = groups_.size() / actions_;
  std::vector<SplitForms> forms;  // of (phi(s), phi(s')) by distribution and, last, of (phi(s), phi(s)); by action
  for (std::size_t a = 0; a < actions_; ++a) {
    Matrix all(width, static_cast<Eigen::Index>(count + 1) * width);
    for (std::size_t c = 0; c < count; ++c)
      all.middleCols(static_cast<Eigen::Index>(c) * width, width) =
          ConstMatrixMap(scores.data() + place(a, c), width, width);
    all.rightCols(width) = -ConstMatrixMap(scores.data() + products_.size() + a * width_ * width_, width, width);
    std::size_t steps = 0;
    for (std::size_t g = a * followers; g < (a + 1) * followers; ++g) steps += groups_[g].size();
    forms.push_back(split(all, steps));
  }
  for_each_block([&](std::size_t a, std::span<const std::size_t> followed_by, std::span<const std::size_t> block) {
    const SplitForms& form = forms[a];
    const Matrix here = gather(*features_, steps_, block, &LoggedStep::row);
    Matrix right = times(here, form.right.back());
    if (!followed_by.empty()) {
      const Matrix next = gather(*features_, steps_, block, &LoggedStep::next_row);
      for (const std::size_t c : followed_by) {
        if (basis_.mixed()) {
          right += shares(*logs_, steps_, block, c).asDiagonal() * times(next, form.right[c]);
        } else {
          add_times(next, form.right[c], right);
        }
      }
    }
    const Eigen::VectorXd score = form.left.size() == 0
                                      ? Eigen::VectorXd(here.cwiseProduct(right).rowwise().sum())
                                      : Eigen::VectorXd(times(here, form.left).cwiseProduct(right).rowwise().sum());
    for (std::size_t i = 0; i < block.size(); ++i)
      of_episode[steps_[block[i]].episode] += score[static_cast<Eigen::Index>(i)];
  });
}

}  // namespace starope
