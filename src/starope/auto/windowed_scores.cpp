#include "starope/auto/windowed_scores.hpp"

#include <algorithm>
#include <numeric>

#include "starope/auto/coalitions.hpp"
#include "starope/auto/row_sums.hpp"
#include "starope/auto/state_sums.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

struct Window {
  std::int64_t length = 1;
  std::int64_t horizon = 1;
  double gamma = 1.0;

  // The steps before the window is full; all of them if it never is.
  std::int64_t opening() const noexcept { return opening_steps(length, horizon); }

  bool usable(const LoggedEpisode& episode, std::int64_t u) const {
    if (length >= horizon) return false;
    const std::int64_t t = u + length - 1;
    if (t >= episode.length()) return episode.end == EpisodeEnd::terminated;
    return outcome_of(episode, t).seen();
  }

  double product(const LoggedEpisode& episode, std::int64_t u) const {
    double product = 1.0;
    for (std::int64_t t = u; t < std::min(u + length, episode.length()); ++t) {
      product *= episode.ratios[t];
    }
    return product;
  }
};

// episodes / D of every cell, 0 where D is 0.
std::vector<double> per_window(const Bag& bag, const PooledTables& tables, const Problem& problem, const Window& window,
                               Threads threads) {
  std::vector<double> sums(tables.first_cell.back(), 0.0);
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t m) {
    const std::vector<Label>& labels = bag.members[m].of_row;
    double* const of_cell = sums.data() + tables.first_cell[m];
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode episode = problem.episode(i);
      double discount = 1.0;
      for (std::int64_t u = 0; u < episode.length(); ++u, discount *= window.gamma) {
        if (!window.usable(episode, u)) continue;
        of_cell[labels[episode.first_row + u]] += discount * window.product(episode, u);
      }
    }
  });
  const auto n = static_cast<double>(problem.episodes());
  for (double& sum : sums) sum = sum > 0.0 ? n / sum : 0.0;
  return sums;
}

class EpisodeScorer {
 public:
  EpisodeScorer(const StateSums& sums, const PooledTables& tables, const Window& window, double share)
      : look_(sums), tables_(tables), window_(window), share_(share), omega_(tables.mass_stride) {}

  WindowedEpisode score(const LoggedEpisode& episode) {
    look_at_states(episode);
    WindowedEpisode parts{.score = share_ * values_[0][0]};
    opening(episode, parts);
    double discount = 1.0;
    for (std::int64_t j = 1; j < window_.length; ++j) discount *= window_.gamma;
    for (std::int64_t u = 0; u + window_.length <= episode.length(); ++u, discount *= window_.gamma) {
      if (!window_.usable(episode, u)) continue;
      const double weight = discount * window_.product(episode, u);
      if (weight != 0.0) parts.score += weight * correction(episode, u);
    }
    return parts;
  }

 private:
  const double* values_of(std::int64_t t) const { return values_[t]; }

  // Sums of V over the members, for all states of the episode and the one that follows.
  void look_at_states(const LoggedEpisode& episode) {
    values_.clear();
    for (std::int64_t row = episode.first_row; row < episode.first_row + episode.length(); ++row) {
      values_.push_back(look_.values(row, values_.size()).values);
    }
    const Outcome last = outcome_of(episode, episode.length() - 1);
    if (last.next_row) values_.push_back(look_.values(*last.next_row, values_.size()).values);
  }

  // r_t + g Vbar_{k+1}(s_{t+1}) - Vbar_k(s_t)
  double residual(const LoggedEpisode& episode, std::int64_t t, std::size_t k) const {
    const Outcome outcome = outcome_of(episode, t);
    const double later = outcome.next_row ? window_.gamma * values_of(t + 1)[k + 1] : 0.0;
    return episode.rewards[t] + share_ * (later - values_of(t)[k]);
  }

  void opening(const LoggedEpisode& episode, WindowedEpisode& parts) const {
    double product = 1.0;
    for (std::int64_t t = 0; t < window_.opening(); ++t) {
      const auto k = static_cast<std::size_t>(t);
      const bool inside = t < episode.length();
      if (inside) product *= episode.ratios[k];
      const bool lost =
          inside ? !outcome_within(episode, t, window_.horizon).seen() : episode.end == EpisodeEnd::truncated;
      parts.residual.push_back(inside && !lost ? residual(episode, t, k) : 0.0);
      parts.weight.push_back(lost ? -1.0 : product);
    }
  }

  double correction(const LoggedEpisode& episode, std::int64_t u) {
    const std::size_t count = tables_.horizon - static_cast<std::size_t>(window_.length) + 1;
    std::copy_n(look_.mass(episode.first_row + u).omega, count, omega_.begin());  // and zeros behind
    const std::int64_t t = u + window_.length - 1;
    const auto ahead = static_cast<std::size_t>(window_.length - 1);
    const bool goes_on = outcome_of(episode, t).next_row.has_value();
    return share_ * share_ *
           bracket_sum(omega_.data(), goes_on ? values_of(t + 1) + ahead : nullptr, values_of(t) + ahead,
                       episode.rewards[t] / share_, window_.gamma, count);
  }

  StateSums::Look look_;
  const PooledTables& tables_;
  const Window& window_;
  double share_;
  std::vector<double> omega_;
  std::vector<const double*> values_{};
};

// The mass of windows in a basis, a row per cell: [o | sum_k omega_k | 0 | o1].
void fill_window_mass(const Bag& bag, const PooledTables& tables, const std::vector<double>& factors,
                      std::int64_t length, const Eigen::MatrixXd& basis, RowMatrix& of_cell) {
  of_cell.setZero();
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  if (length >= horizon) return;
  const Eigen::Index rank = basis.cols(), count = horizon - length + 1;
  const Eigen::Map<const RowMatrix, 0, Eigen::OuterStride<>> mass(
      tables.mass.data(), of_cell.rows(), count, Eigen::OuterStride<>(static_cast<Eigen::Index>(tables.mass_stride)));
  const Eigen::VectorXd factor =
      Eigen::Map<const Eigen::VectorXd>(factors.data(), mass.rows()) / static_cast<double>(bag.members.size());
  const RowMatrix omega = factor.asDiagonal() * mass;
  of_cell.leftCols(rank) = omega * basis.middleRows(length - 1, count);
  of_cell.col(rank) = omega.rowwise().sum();
  of_cell.middleCols(rank + 2, rank) = omega * basis.middleRows(length, count);
}

}  // namespace

std::vector<double> windowed_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                                    std::int64_t length, Threads threads) {
  STAROPE_ASSERT(length >= 1 && length <= static_cast<std::int64_t>(row_lanes));
  const Window window{
      .length = length, .horizon = static_cast<std::int64_t>(tables.horizon), .gamma = problem.discount().gamma()};
  const std::vector<double> factors = per_window(bag, tables, problem, window, threads);
  const StateSums sums(bag, tables, Coalitions::whole_bag, factors, threads);
  const double share = 1.0 / static_cast<double>(bag.members.size());
  constexpr std::int64_t episodes_per_job = 64;
  std::vector<WindowedEpisode> parts(problem.episodes());
  parallel_for((problem.episodes() + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    EpisodeScorer scorer(sums, tables, window, share);
    const std::int64_t first = job * episodes_per_job;
    for (std::int64_t i = first; i < std::min(problem.episodes(), first + episodes_per_job); ++i) {
      parts[i] = scorer.score(problem.episode(i));
    }
  });
  return finished_scores(parts, window.gamma);
}

// Adds the first steps: e_t + n p_it / P_t (residual - e_t), times g^t, with e_t the weighted mean residual.
std::vector<double> finished_scores(const std::vector<WindowedEpisode>& parts, double gamma) {
  std::vector<double> scores;
  scores.reserve(parts.size());
  for (const WindowedEpisode& part : parts) scores.push_back(part.score);
  double discount = 1.0;
  const std::size_t opening = parts.empty() ? 0 : parts.front().weight.size();
  for (std::size_t k = 0; k < opening; ++k, discount *= gamma) {
    double weights = 0.0, residuals = 0.0, count = 0.0;
    for (const WindowedEpisode& part : parts) {
      if (part.weight[k] < 0.0) continue;
      count += 1.0;
      weights += part.weight[k];
      residuals += part.weight[k] * part.residual[k];
    }
    if (!(weights > 0.0)) continue;
    const double mean = residuals / weights;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      scores[i] += discount * mean;
      if (parts[i].weight[k] < 0.0) continue;
      scores[i] += discount * count * parts[i].weight[k] / weights * (parts[i].residual[k] - mean);
    }
  }
  return scores;
}

StepTables window_tables(const Bag& bag, const PooledTables& tables, const Problem& problem, std::int64_t length,
                         double tolerance, Threads threads) {
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  const Window window{.length = length, .horizon = horizon, .gamma = problem.discount().gamma()};
  const std::vector<double> factors = per_window(bag, tables, problem, window, threads);
  StepTables result = step_tables(bag, tables, {}, CellValues::yes, tolerance);
  fill_window_mass(bag, tables, factors, length, result.basis, result.cell_mass);
  return result;
}

StateSide window_mass(const Bag& bag, const PooledTables& tables, const Problem& problem, std::int64_t length,
                      const Eigen::MatrixXd& basis, Threads threads) {
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  const Window window{.length = length, .horizon = horizon, .gamma = problem.discount().gamma()};
  const std::vector<double> factors = per_window(bag, tables, problem, window, threads);
  RowMatrix of_cell(static_cast<Eigen::Index>(factors.size()),
                    static_cast<Eigen::Index>(padded_to_lanes(static_cast<std::size_t>(2 * basis.cols() + 2))));
  fill_window_mass(bag, tables, factors, length, basis, of_cell);
  return {bag, tables.first_cell, std::move(of_cell)};
}

WindowedEpisode windowed_episode(const WindowedValues& values, const LoggedEpisode& episode, std::int64_t length,
                                 std::int64_t horizon, double gamma) {
  const Window window{.length = length, .horizon = horizon, .gamma = gamma};
  const Eigen::Index rank = values.basis.cols();
  const auto outcome_at = [&](std::int64_t t) {
    return values.of_actions ? outcome_with_actions(episode, t) : outcome_of(episode, t);
  };
  const auto at_step = [&](const RowMatrix& numbers, std::int64_t row, std::int64_t k) {
    return numbers.row(row).head(rank).dot(values.basis.row(k));
  };
  WindowedEpisode parts{.score = at_step(values.states, 0, 0)};
  double product = 1.0;
  for (std::int64_t t = 0; t < window.opening(); ++t) {
    const bool inside = t < episode.length();
    if (inside) product *= episode.ratios[t];
    const bool lost = inside ? !outcome_within(episode, t, horizon).seen() || !outcome_at(t).seen()
                             : episode.end == EpisodeEnd::truncated;
    double residual = 0.0;
    if (inside && !lost) {
      residual = episode.rewards[t] - at_step(values.taken, t, t);
      if (outcome_at(t).next_row) residual += gamma * at_step(values.states, t + 1, t + 1);
    }
    parts.residual.push_back(residual);
    parts.weight.push_back(lost ? -1.0 : product);
  }
  double discount = 1.0;
  for (std::int64_t j = 1; j < length; ++j) discount *= gamma;
  for (std::int64_t u = 0; u + length <= episode.length(); ++u, discount *= gamma) {
    const std::int64_t t = u + length - 1;
    if (!window.usable(episode, u) || !outcome_at(t).seen()) continue;
    const double weight = discount * window.product(episode, u);
    if (weight == 0.0) continue;
    double correction =
        values.mass(u, rank) * episode.rewards[t] - values.taken.row(t).head(rank).dot(values.mass.row(u).head(rank));
    if (outcome_at(t).next_row)
      correction += gamma * values.states.row(t + 1).head(rank).dot(values.mass.row(u).segment(rank + 2, rank));
    parts.score += weight * correction;
  }
  return parts;
}

void WindowScorer::look(const LoggedEpisode& episode) {
  rows_of_episode(episode, rows_);
  sides_->values.front().evaluate(rows_, unused_, values_);
  sides_->mass.evaluate(std::span(rows_).first(episode.length()), unused_, mass_);
}

double WindowScorer::score(const LoggedEpisode& episode) const {
  const Window window{.length = window_, .horizon = horizon_, .gamma = gamma_};
  const Eigen::Index rank = sides_->basis.cols();
  const RowMatrix &values = values_.front(), &mass = mass_.front();
  double score = 0.0, discount = 1.0;
  for (std::int64_t j = 1; j < window_; ++j) discount *= gamma_;
  for (std::int64_t u = 0; u + window_ <= episode.length(); ++u, discount *= gamma_) {
    if (!window.usable(episode, u)) continue;
    const double weight = discount * window.product(episode, u);
    if (weight == 0.0) continue;
    const std::int64_t t = u + window_ - 1;
    double correction = mass(u, rank) * episode.rewards[t] - values.row(t).head(rank).dot(mass.row(u).head(rank));
    if (outcome_of(episode, t).next_row)
      correction += gamma_ * values.row(t + 1).head(rank).dot(mass.row(u).segment(rank + 2, rank));
    score += weight * correction;
  }
  return score;
}

}  // namespace starope
