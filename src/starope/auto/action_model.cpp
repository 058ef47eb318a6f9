#include "starope/auto/action_model.hpp"

#include <algorithm>
#include <cmath>

#include "starope/auto/backward.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_fitted_steps = 60'000;  // more say little more about some hundred coefficients
constexpr std::size_t rows_per_product = 128;

// Rows of numbers that are added up as products of matrices once there are enough of them.
struct Rows {
  std::vector<double> left{}, right{};
  std::size_t count = 0;
};

// Sums over steps. Every step has one action, so sums over all steps of the functions that actions have of their own
// are found from those of the actions: only the others are summed for all.
class ActionBlock {
 public:
  ActionBlock(const ActionRows& rows, std::size_t draw)
      : rows_(rows),
        basis_(rows.basis(draw)),
        columns_(static_cast<std::size_t>(basis_.columns())),
        own_(static_cast<std::size_t>(basis_.own)),
        actions_(static_cast<std::size_t>(basis_.actions)),
        size_(columns_ + actions_ * own_),
        shared_(columns_ - own_),
        here_(
            RowMatrix::Zero(static_cast<Eigen::Index>(shared_ + actions_ * own_), static_cast<Eigen::Index>(columns_))),
        next_size_(size_ - own_),
        moves_(RowMatrix::Zero(here_.rows(), static_cast<Eigen::Index>(next_size_))),
        reward_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(size_))),
        of_action_(actions_) {}

  // `phi`: functions of the step; `next`: of the one that follows it, with its row; null: it ended.
  void add(const double* phi, std::int32_t action, double weight, double reward, const double* next,
           std::int64_t next_row) {
    const auto a = static_cast<std::size_t>(action);
    fill_next(next, next_row);
    push(others_, phi, own_, columns_, weight);
    push(of_action_[a], phi, 0, own_, weight);
    for (std::size_t i = 0; i < columns_; ++i) reward_[static_cast<Eigen::Index>(i)] += weight * reward * phi[i];
    const std::size_t at = first_of(a);
    for (std::size_t i = 0; i < own_; ++i) reward_[static_cast<Eigen::Index>(at + i)] += weight * reward * phi[i];
    if (others_.count == rows_per_product) flush(others_, own_, columns_, 0);
    if (of_action_[a].count == rows_per_product) flush(of_action_[a], 0, own_, shared_ + a * own_);
  }

  void finish(Eigen::MatrixXd& here, Eigen::MatrixXd* moves, Eigen::VectorXd& reward) {
    flush(others_, own_, columns_, 0);
    for (std::size_t a = 0; a < actions_; ++a) flush(of_action_[a], 0, own_, shared_ + a * own_);
    const auto columns = static_cast<Eigen::Index>(columns_), own = static_cast<Eigen::Index>(own_),
               size = static_cast<Eigen::Index>(size_), shared = static_cast<Eigen::Index>(shared_);
    // As rows of chi: the sums over the actions, what is shared, and what belongs to each action.
    const auto in_order = [&](const RowMatrix& sums) {
      Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, sums.cols());
      all.middleRows(own, shared) = sums.topRows(shared);
      all.bottomRows(size - columns) = sums.bottomRows(size - columns);
      for (std::size_t a = 0; a < actions_; ++a)
        all.topRows(own) += sums.middleRows(shared + static_cast<Eigen::Index>(a * own_), own);
      return all;
    };
    here = Eigen::MatrixXd::Zero(size, size);
    here.leftCols(columns) = in_order(here_);
    here.block(own, 0, shared, own) = here.block(0, own, own, shared).transpose();
    here.topRows(columns).rightCols(size - columns) = here.bottomLeftCorner(size - columns, columns).transpose();
    for (std::size_t a = 0; a < actions_; ++a) {
      const auto at = static_cast<Eigen::Index>(first_of(a));
      here.block(at, at, own, own) = here.block(at, 0, own, own);
    }
    if (moves != nullptr) *moves = with_last_action(in_order(moves_));
    reward = reward_;
  }

 private:
  std::size_t first_of(std::size_t action) const { return columns_ + action * own_; }

  // Probabilities add up to 1: what the last action adds is what the others leave of all.
  Eigen::MatrixXd with_last_action(const Eigen::MatrixXd& others) const {
    const auto own = static_cast<Eigen::Index>(own_);
    Eigen::MatrixXd all(others.rows(), static_cast<Eigen::Index>(size_));
    all.leftCols(others.cols()) = others;
    all.rightCols(own) = others.leftCols(own);
    for (std::size_t a = 0; a + 1 < actions_; ++a)
      all.rightCols(own) -= others.middleCols(static_cast<Eigen::Index>(first_of(a)), own);
    return all;
  }

  void fill_next(const double* next, std::int64_t row) {
    // [phi | f of what follows, without the last action]: one product makes both sums.
    next_.assign(next_size_, 0.0);
    if (next == nullptr) return;
    std::copy_n(next, columns_, next_.begin());
    const double* target = rows_.target(row);
    for (std::size_t a = 0; a + 1 < actions_; ++a) {
      for (std::size_t i = 0; i < own_; ++i) next_[first_of(a) + i] = target[a] * next[i];
    }
  }

  // The functions from `first` to `last` on the left.
  void push(Rows& to, const double* phi, std::size_t first, std::size_t last, double weight) {
    for (std::size_t i = first; i < last; ++i) to.left.push_back(weight * phi[i]);
    to.right.insert(to.right.end(), phi, phi + columns_);
    to.right.insert(to.right.end(), next_.begin(), next_.end());
    ++to.count;
  }

  // To the rows from `at` on. Products among the first functions are those of the actions.
  void flush(Rows& from, std::size_t first, std::size_t last, std::size_t at) {
    if (from.count == 0) return;
    const std::size_t width = last - first;
    const auto product = [&](std::size_t skip, std::size_t count, double* out, std::size_t stride) {
      add_product({.rows = width,
                   .columns = count,
                   .depth = from.count,
                   .left = MatrixView{from.left.data(), width}.transposed(),
                   .right = from.right.data() + skip,
                   .right_stride = columns_ + next_size_,
                   .out = out + at * stride,
                   .out_stride = stride});
    };
    if (width > 0) {
      product(first, columns_ - first, here_.data() + first, columns_);
      product(columns_, next_size_, moves_.data(), next_size_);
    }
    from.left.clear();
    from.right.clear();
    from.count = 0;
  }

  const ActionRows& rows_;
  const ActionBasis& basis_;
  std::size_t columns_, own_, actions_, size_, shared_;
  RowMatrix here_;
  std::size_t next_size_;  // of f without the last action
  RowMatrix moves_;        // rows: functions that are shared alone, then those of the actions; here_: shared columns
  Eigen::VectorXd reward_;
  Rows others_{};
  std::vector<Rows> of_action_;
  std::vector<double> next_{};
};

// Every so-manieth, so that about `most_fitted_steps` of all remain.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& episodes, std::int64_t steps) {
  const auto stride = static_cast<std::size_t>((steps + most_fitted_steps - 1) / most_fitted_steps);
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < episodes.size(); i += stride) some.push_back(episodes[i]);
  return some;
}

ActionModel solve_once(const ActionSums& sums, const ActionSolve& options, double ridge) {
  const Eigen::Index size = sums.here.rows(), horizon = options.horizon;
  Eigen::MatrixXd regular = sums.here;
  regular.diagonal().array() += ridge * std::max(sums.weight, 1e-300);
  const Eigen::LLT<Eigen::MatrixXd> inverse(regular);
  ActionModel model{.values = Eigen::MatrixXd::Zero(size, horizon + 1), .reward = Eigen::VectorXd::Zero(size)};
  backward(inverse, sums.reward, sums.moves, options.gamma, model.values);
  if (sums.unseen_here.size() > 0)
    model.reward = Eigen::LLT<Eigen::MatrixXd>(regular + sums.unseen_here).solve(sums.reward + sums.unseen_reward);
  return model;
}

// The mean square of what a regression foretells, which is at most that of what it was fitted to; where the sums are
// singular but for rounding, it is not, or is no number.
bool within(const Eigen::MatrixXd& here, double weight, const Eigen::VectorXd& coefficients, double most) {
  const double square = coefficients.dot(here * coefficients) / std::max(weight, 1e-300);
  return coefficients.allFinite() && square <= 4.0 * most * most;
}

}  // namespace

ActionSums& ActionSums::operator+=(const ActionSums& other) {
  if (here.size() == 0) return *this = other;
  here += other.here;
  moves += other.moves;
  reward += other.reward;
  weight += other.weight;
  greatest = std::max(greatest, other.greatest);
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

ActionSums action_sums(const ActionRows& rows, std::size_t draw, const Problem& problem,
                       std::span<const std::int64_t> episodes) {
  ActionSums sums;
  ActionBlock seen(rows, draw), unseen(rows, draw);
  bool any_unseen = false;
  const auto columns = static_cast<std::size_t>(rows.basis(draw).columns());
  std::vector<double> functions;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = problem.episode(i);
    functions.resize(static_cast<std::size_t>(episode.length()) * columns);
    rows.evaluate(draw, episode.first_row, episode.length(), functions.data());
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t, discount *= problem.discount().gamma()) {
      const double* phi = functions.data() + static_cast<std::size_t>(t) * columns;
      const Outcome outcome = outcome_with_actions(episode, t);
      const std::int64_t row = episode.first_row + t;
      const double* next = outcome.next_row ? phi + columns : nullptr;
      (outcome.seen() ? seen : unseen).add(phi, rows.action(row), discount, episode.rewards[t], next, row + 1);
      any_unseen = any_unseen || !outcome.seen();
      sums.weight += discount;
      sums.greatest = std::max(sums.greatest, std::abs(episode.rewards[t]));
    }
  }
  seen.finish(sums.here, &sums.moves, sums.reward);
  if (any_unseen) unseen.finish(sums.unseen_here, nullptr, sums.unseen_reward);
  return sums;
}

ActionModel solve(const ActionSums& sums, const ActionSolve& options) {
  double most = 0.0, discount = 1.0;
  for (std::int64_t k = 0; k < options.horizon; ++k, discount *= options.gamma) most += discount * sums.greatest;
  ActionModel model;
  double ridge = options.ridge;
  constexpr int attempts = 8;
  for (int attempt = 0; attempt < attempts; ++attempt, ridge *= 10.0) {
    model = solve_once(sums, options, ridge);
    const bool rewards =
        sums.unseen_here.size() == 0 || within(sums.here + sums.unseen_here, sums.weight, model.reward, sums.greatest);
    if (rewards && model.values.allFinite() && within(sums.here, sums.weight, model.values.col(0), most)) return model;
  }
  model.values.setZero();
  model.reward.setZero();
  return model;
}

ActionValues fit_actions(const BagFeatures& features, const Problem& problem, const ActionOptions& options,
                         const std::vector<std::vector<std::int64_t>>& groups, Threads threads) {
  ActionValues actions{.rows = ActionRows(draw_actions(features, problem, options), features, problem),
                       .of_group = std::vector(groups.size(), std::vector<ActionSums>(options.draws))};
  const auto draws = static_cast<std::int64_t>(options.draws);
  parallel_for(static_cast<std::int64_t>(groups.size()) * draws, threads, [&](std::int64_t job) {
    const auto group = static_cast<std::size_t>(job / draws), draw = static_cast<std::size_t>(job % draws);
    actions.of_group[group][draw] = action_sums(actions.rows, draw, problem, thinned(groups[group], problem.steps()));
  });
  return actions;
}

std::vector<ActionModel> action_models(const ActionValues& actions, std::span<const std::size_t> groups,
                                       const ActionSolve& options, std::size_t draws) {
  std::vector<ActionModel> models;
  for (std::size_t draw = 0; draw < std::min(draws, actions.rows.draws()); ++draw) {
    ActionSums sums;
    for (const std::size_t g : groups) sums += actions.of_group[g][draw];
    models.push_back(solve(sums, options));
  }
  return models;
}

}  // namespace starope
