#include "starope/auto/relevant_columns.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <variant>

namespace starope {
namespace {

constexpr std::int64_t most_compared_steps = 10000;  // that are looked at
constexpr std::int64_t fewest_episodes = 20;         // whose differences the tests rest on
constexpr std::int32_t most_compared_actions = 4;    // that have slopes of their own
constexpr double least_z = 3.1;                      // one in a thousand
constexpr double new_part = 1e-4;                    // of a column's variance: less is rounding, or a copy

std::int32_t actions_of(const Problem& problem) {
  const auto* discrete = std::get_if<DiscreteActions>(&problem.data().actions());
  return discrete == nullptr ? 0 : discrete->count;
}

// Steps whose next state is known, or that end their episode, of the first episodes.
struct Steps {
  std::vector<std::int64_t> row{}, next{};       // next: -1 where the episode ended
  std::vector<std::int64_t> first_of_episode{};  // the first of the steps; one more at the end
  std::vector<double> reward{}, log_ratio{};

  std::int64_t size() const { return static_cast<std::int64_t>(row.size()); }
  std::int64_t episodes() const { return static_cast<std::int64_t>(first_of_episode.size()) - 1; }
};

Steps steps_of(const Problem& problem) {
  constexpr double never = -10.0;  // stands for the logarithm of zero
  Steps steps;
  for (std::int64_t i = 0; i < problem.episodes() && steps.size() < most_compared_steps; ++i) {
    const LoggedEpisode episode = problem.episode(i);
    steps.first_of_episode.push_back(steps.size());
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const Outcome outcome = outcome_of(episode, t);
      if (!outcome.seen()) continue;
      const double ratio = episode.ratios[t];
      steps.row.push_back(episode.first_row + t);
      steps.next.push_back(outcome.next_row.value_or(-1));
      steps.reward.push_back(episode.rewards[t]);
      steps.log_ratio.push_back(ratio > 0.0 ? std::max(never, std::log(ratio)) : never);
    }
  }
  steps.first_of_episode.push_back(steps.size());
  return steps;
}

// Something that columns may tell, or not.
struct Target {
  Eigen::VectorXd value{};     // per step; 0 where it does not exist
  Eigen::VectorXd exists{};    // 1 or 0
  Eigen::VectorXd residual{};  // of the regression on what has joined so far
};

// Hotelling's T^2 as a normal deviate: (T^2 / p scaled for few episodes)^(1/3) is nearly normal (Wilson and Hilferty).
double deviate(double t2, double p, double episodes) {
  const double chi = t2 * std::max(episodes - p, 1.0) / std::max(episodes - 1.0, 1.0);
  const double v = 2.0 / (9.0 * p);
  return (std::cbrt(chi / p) - (1.0 - v)) / std::sqrt(v);
}

class Selection {
 public:
  Selection(const Problem& problem, std::span<const double> values, std::int64_t dimension)
      : values_(values), dimension_(dimension), actions_(actions_of(problem)), steps_(steps_of(problem)) {
    add_actions(problem);
    start_ = known_;
    Eigen::VectorXd ended(steps_.size());
    for (Eigen::Index s = 0; s < steps_.size(); ++s) ended[s] = steps_.next[s] < 0 ? 1.0 : 0.0;
    add_target(Eigen::Map<const Eigen::VectorXd>(steps_.reward.data(), steps_.size()));
    add_target(ended);
    add_target(Eigen::Map<const Eigen::VectorXd>(steps_.log_ratio.data(), steps_.size()));
    for (std::int64_t j = 0; j < dimension; ++j) new_part_.push_back(without_known(features_of(j), known_));
  }

  std::vector<std::int64_t> run() {
    std::vector<std::int64_t> chosen;
    if (steps_.episodes() < fewest_episodes) return chosen;
    std::vector<bool> joined(dimension_, false);
    while (static_cast<std::int64_t>(chosen.size()) < dimension_) {
      double most = least_z;
      std::optional<std::int64_t> best;
      for (std::int64_t j = 0; j < dimension_; ++j) {
        if (joined[j]) continue;
        for (const Target& target : targets_) {
          const double z = telling(new_part_[j], target);
          if (!(z > most)) continue;
          most = z;
          best = j;
        }
      }
      if (!best) break;
      joined[*best] = true;
      chosen.push_back(*best);
      join(*best);
    }
    if (chosen.empty()) return chosen;
    // Columns that go with those that matter may matter where the logs hardly are; copies may not.
    const std::vector<std::int64_t> telling_ones = chosen;
    for (std::int64_t j = 0; j < dimension_; ++j) {
      if (joined[j] || is_known(j) || !goes_with(j, telling_ones)) continue;
      chosen.push_back(j);
      know(j);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  double value(std::int64_t row, std::int64_t column) const { return values_[row * dimension_ + column]; }
  bool slopes_by_action() const { return actions_ > 1 && actions_ <= most_compared_actions; }

  // Regression starts from a constant and the actions.
  void add_actions(const Problem& problem) {
    extend(Eigen::MatrixXd::Ones(steps_.size(), 1));
    if (const auto* discrete = std::get_if<DiscreteActions>(&problem.data().actions())) {
      for (std::int64_t s = 0; s < steps_.size(); ++s) action_.push_back(discrete->id[steps_.row[s]]);
      if (!slopes_by_action()) return;
      Eigen::MatrixXd taken = Eigen::MatrixXd::Zero(steps_.size(), actions_ - 1);
      for (Eigen::Index s = 0; s < steps_.size(); ++s) {
        const std::int32_t a = action_[s];
        if (a > 0) taken(s, a - 1) = 1.0;
      }
      extend(taken);
    } else if (const auto* numbers = std::get_if<ContinuousActions>(&problem.data().actions())) {
      Eigen::MatrixXd taken(steps_.size(), numbers->dimension);
      for (Eigen::Index s = 0; s < steps_.size(); ++s) {
        for (std::int64_t k = 0; k < numbers->dimension; ++k) {
          taken(s, k) = numbers->values[steps_.row[s] * numbers->dimension + k];
        }
      }
      extend(taken);
    }
  }

  // [x, x^2, x where action b was taken], each of size 1.
  Eigen::MatrixXd features_of(std::int64_t column) const {
    const Eigen::Index slopes = slopes_by_action() ? actions_ - 1 : 0;
    Eigen::MatrixXd features = Eigen::MatrixXd::Zero(steps_.size(), 2 + slopes);
    for (Eigen::Index s = 0; s < steps_.size(); ++s) {
      const double x = value(steps_.row[s], column);
      features(s, 0) = x;
      features(s, 1) = x * x;
      if (slopes > 0 && action_[s] > 0) features(s, 1 + action_[s]) = x;
    }
    for (Eigen::Index k = 0; k < features.cols(); ++k) {
      const double size = std::sqrt(features.col(k).squaredNorm() / static_cast<double>(steps_.size()));
      if (size > 0.0) features.col(k) /= size;
    }
    return features;
  }

  static Eigen::MatrixXd without_known(const Eigen::MatrixXd& features, const Eigen::MatrixXd& known) {
    if (known.cols() == 0) return features;
    Eigen::MatrixXd rest = features - known * (known.transpose() * features);
    rest -= known * (known.transpose() * rest);  // once more, for what rounding left
    return rest;
  }

  // Adds what is new in these features to the orthonormal columns that targets are regressed on.
  Eigen::MatrixXd extend(const Eigen::MatrixXd& features) {
    const auto n = static_cast<double>(steps_.size());
    const Eigen::Index before = known_.cols();
    for (Eigen::Index k = 0; k < features.cols(); ++k) {
      const double size = features.col(k).squaredNorm() / n;
      const Eigen::VectorXd rest = without_known(features.col(k), known_);
      if (!(rest.squaredNorm() / n > new_part * size)) continue;
      known_.conservativeResize(steps_.size(), known_.cols() + 1);
      known_.col(known_.cols() - 1) = rest.normalized();
    }
    return known_.rightCols(known_.cols() - before);
  }

  void add_target(const Eigen::VectorXd& value) {
    add_target(Target{.value = value, .exists = Eigen::VectorXd::Ones(steps_.size())});
  }
  void add_target(Target target) {
    const double size = target.value.squaredNorm();
    target.residual = target.value - known_ * (known_.transpose() * target.value);
    target.residual.array() *= target.exists.array();
    // What is constant, or known exactly, has nothing to tell.
    if (target.residual.squaredNorm() > 1e-10 * size) targets_.push_back(std::move(target));
  }

  void know(std::int64_t column) {
    const Eigen::MatrixXd added = extend(features_of(column));
    for (Eigen::MatrixXd& rest : new_part_) rest = without_known(rest, added);
  }

  void join(std::int64_t column) {
    know(column);
    for (Target& target : targets_) {
      target.residual = target.value - known_ * (known_.transpose() * target.value);
      target.residual.array() *= target.exists.array();
    }
    Target next{.value = Eigen::VectorXd::Zero(steps_.size()), .exists = Eigen::VectorXd::Zero(steps_.size())};
    for (Eigen::Index s = 0; s < steps_.size(); ++s) {
      const std::int64_t row = steps_.next[s];
      if (row < 0) continue;
      // By how much it changes: what stays as it is needs no other column.
      next.value[s] = value(row, column) - value(steps_.row[s], column);
      next.exists[s] = 1.0;
    }
    add_target(std::move(next));
  }

  bool is_known(std::int64_t column) const {
    const Eigen::MatrixXd& rest = new_part_[column];
    return !(rest.col(0).squaredNorm() / static_cast<double>(steps_.size()) > new_part);
  }

  bool goes_with(std::int64_t column, const std::vector<std::int64_t>& others) const {
    Target own{.residual = without_known(features_of(column).col(0), start_)};
    return std::any_of(others.begin(), others.end(), [&](std::int64_t other) {
      return telling(without_known(features_of(other), start_), own) > least_z;
    });
  }

  // How surely the features explain something of the residuals, as a normal deviate.
  double telling(const Eigen::MatrixXd& features, const Target& target) const {
    const auto n = static_cast<double>(steps_.size());
    std::vector<Eigen::Index> usable;
    for (Eigen::Index k = 0; k < features.cols(); ++k) {
      if (features.col(k).squaredNorm() / n > new_part) usable.push_back(k);
    }
    const auto p = static_cast<Eigen::Index>(usable.size());
    const double most_residual = target.residual.cwiseAbs().maxCoeff();
    if (p == 0 || !(most_residual > 0.0)) return 0.0;
    Eigen::MatrixXd sums(steps_.episodes(), p);
    for (Eigen::Index i = 0; i < steps_.episodes(); ++i) {
      const std::int64_t first = steps_.first_of_episode[i];
      const std::int64_t count = steps_.first_of_episode[i + 1] - first;
      for (Eigen::Index k = 0; k < p; ++k) {
        sums(i, k) =
            features.col(usable[k]).segment(first, count).dot(target.residual.segment(first, count)) / most_residual;
      }
    }
    const Eigen::VectorXd total = sums.colwise().sum();
    Eigen::MatrixXd variance = sums.transpose() * sums;
    variance.diagonal().array() += 1e-9 * variance.trace() / static_cast<double>(p);
    if (!(variance.trace() > 0.0)) return 0.0;
    const double t2 = total.dot(variance.ldlt().solve(total));
    return deviate(t2, static_cast<double>(p), static_cast<double>(steps_.episodes()));
  }

  std::span<const double> values_;
  std::int64_t dimension_;
  std::int32_t actions_;
  Steps steps_;
  std::vector<std::int32_t> action_{};
  // Orthonormal columns: the constant and the actions; and these with the columns that joined.
  Eigen::MatrixXd start_{}, known_{};
  std::vector<Eigen::MatrixXd> new_part_{};
  std::vector<Target> targets_{};
};

}  // namespace

std::vector<std::int64_t> relevant_columns(const Problem& problem, std::span<const double> values,
                                           std::int64_t dimension) {
  std::vector<std::int64_t> columns;
  if (dimension > 1) columns = Selection(problem, values, dimension).run();
  if (columns.empty()) {
    columns.resize(dimension);
    std::iota(columns.begin(), columns.end(), std::int64_t{0});
  }
  return columns;
}

}  // namespace starope
