#include "starope/auto/windowed_scores.hpp"

#include <algorithm>
#include <numeric>

#include "starope/auto/row_sums.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/stats/matrix_product.hpp"

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

constexpr std::int64_t episodes_per_job = 64;

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

// The mass of windows in a basis, a row per cell: [o | sum_k omega_k | 0 | o1].
void fill_window_mass(const Bag& bag, const PooledTables& tables, const std::vector<double>& factors,
                      std::int64_t length, const RowMatrix& basis, RowMatrix& of_cell) {
  of_cell.setZero();
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  if (length >= horizon) return;
  const Eigen::Index rank = basis.cols(), count = horizon - length + 1;
  RowMatrix steps = RowMatrix::Zero(count, 2 * rank + 2);
  steps.leftCols(rank) = basis.middleRows(length - 1, count);
  steps.col(rank).setOnes();
  steps.rightCols(rank) = basis.middleRows(length, count);
  add_product({.rows = static_cast<std::size_t>(of_cell.rows()),
               .columns = static_cast<std::size_t>(steps.cols()),
               .depth = static_cast<std::size_t>(count),
               .left = {tables.mass.data(), tables.mass_stride},
               .right = steps.data(),
               .right_stride = static_cast<std::size_t>(steps.cols()),
               .out = of_cell.data(),
               .out_stride = static_cast<std::size_t>(of_cell.cols())});
  const double share = 1.0 / static_cast<double>(bag.members.size());
  for (Eigen::Index cell = 0; cell < of_cell.rows(); ++cell)
    of_cell.row(cell) *= share * factors[static_cast<std::size_t>(cell)];
}

}  // namespace

std::vector<std::vector<double>> windowed_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                                                 std::span<const std::int64_t> lengths, double tolerance,
                                                 Threads threads) {
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  const double gamma = problem.discount().gamma();
  const StepTables steps = step_tables(bag, tables, {}, CellValues::yes, tolerance);
  const RowMatrix basis = steps.basis;
  const StateSide values(bag, steps.first_cell, steps.cell_values);
  std::vector<StateSide> masses;
  for (const std::int64_t length : lengths) {
    STAROPE_ASSERT(length >= 1);
    masses.push_back(window_mass(bag, tables, problem, length, basis, threads));
  }
  std::vector parts(lengths.size(), std::vector<WindowedEpisode>(problem.episodes()));
  parallel_for((problem.episodes() + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    std::vector<LoggedEpisode> episodes;
    const std::int64_t first = job * episodes_per_job;
    for (std::int64_t i = first; i < std::min(problem.episodes(), first + episodes_per_job); ++i)
      episodes.push_back(problem.episode(i));
    WaveLook unused;
    CellsAhead of_states, of_windows;
    std::vector<std::int64_t> rows;
    for (std::span<const LoggedEpisode> rest(episodes); !rest.empty();) {
      const std::span<const LoggedEpisode> line = next_in_line(rest);
      of_states.look(values, line);
      for (std::size_t w = 0; w < lengths.size(); ++w) {
        of_windows.look(masses[w], line);
        for (const LoggedEpisode& episode : line) {
          rows_of_episode(episode, rows);
          const RowView states = of_states.view(values, episode, rows, unused).front();
          const RowView mass = of_windows.view(masses[w], episode, rows, unused).front();
          parts[w][episode.index] = windowed_episode({.basis = basis, .states = states, .taken = states, .mass = mass},
                                                     episode, lengths[w], horizon, gamma);
        }
      }
      rest = rest.subspan(line.size());
    }
  });
  std::vector<std::vector<double>> scores;
  for (const auto& of_window : parts) scores.push_back(finished_scores(of_window, gamma));
  return scores;
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
                      const RowMatrix& basis, Threads threads) {
  const auto horizon = static_cast<std::int64_t>(tables.horizon);
  const Window window{.length = length, .horizon = horizon, .gamma = problem.discount().gamma()};
  const std::vector<double> factors = per_window(bag, tables, problem, window, threads);
  RowMatrix of_cell(static_cast<Eigen::Index>(factors.size()),
                    static_cast<Eigen::Index>(padded_to_lanes(static_cast<std::size_t>(2 * basis.cols() + 2))));
  fill_window_mass(bag, tables, factors, length, basis, of_cell);
  return {bag, tables.first_cell, of_cell};
}

WindowedEpisode windowed_episode(const WindowedValues& values, const LoggedEpisode& episode, std::int64_t length,
                                 std::int64_t horizon, double gamma) {
  const Window window{.length = length, .horizon = horizon, .gamma = gamma};
  const Eigen::Index rank = values.basis.cols();
  const auto size = static_cast<std::size_t>(rank);
  const auto outcome_at = [&](std::int64_t t) {
    return values.of_actions ? outcome_with_actions(episode, t) : outcome_of(episode, t);
  };
  const auto at_step = [&](const RowView& numbers, std::int64_t row, std::int64_t k) {
    return dot(numbers.row(row), values.basis.row(k).data(), size);
  };
  WindowedEpisode parts{.score = at_step(values.states, 0, 0)};
  double product = 1.0;
  for (std::int64_t t = 0; t < window.opening(); ++t) {
    const bool inside = t < episode.length();
    if (inside) product *= episode.ratios[t];
    const bool lost = inside ? t + 1 < horizon && !outcome_at(t).seen() : episode.end == EpisodeEnd::truncated;
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
    const double* const mass = values.mass.row(u);
    double correction = mass[rank] * episode.rewards[t] - dot(values.taken.row(t), mass, size);
    if (outcome_at(t).next_row) correction += gamma * dot(values.states.row(t + 1), mass + rank + 2, size);
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
  const auto size = static_cast<std::size_t>(rank);
  const RowMatrix &values = values_.front(), &mass = mass_.front();
  double score = 0.0, discount = 1.0;
  for (std::int64_t j = 1; j < window_; ++j) discount *= gamma_;
  for (std::int64_t u = 0; u + window_ <= episode.length(); ++u, discount *= gamma_) {
    if (!window.usable(episode, u)) continue;
    const double weight = discount * window.product(episode, u);
    if (weight == 0.0) continue;
    const std::int64_t t = u + window_ - 1;
    const double* const o = mass.row(u).data();
    double correction = o[rank] * episode.rewards[t] - dot(values.row(t).data(), o, size);
    if (outcome_of(episode, t).next_row) correction += gamma_ * dot(values.row(t + 1).data(), o + rank + 2, size);
    score += weight * correction;
  }
  return score;
}

}  // namespace starope
