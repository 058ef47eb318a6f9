#include "starope/auto/cross_scores.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "starope/auto/row_sums.hpp"
#include "starope/auto/step_basis.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

Eigen::Map<const RowMatrix, 0, Eigen::OuterStride<>> table_of(const std::vector<double>& numbers, std::size_t stride,
                                                              std::size_t width) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size() / stride), static_cast<Eigen::Index>(width),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(stride))};
}

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

RowMatrix padded(Eigen::Index rows, Eigen::Index width) {
  return RowMatrix::Zero(rows, static_cast<Eigen::Index>(padded_to_lanes(static_cast<std::size_t>(width))));
}

// As tables and matrices of Eigen lie in memory, columns of which are neighbors.
MatrixView view_of(const std::vector<double>& numbers, std::size_t stride) {
  return {numbers.data(), stride};
}
MatrixView view_of(const Eigen::MatrixXd& matrix) {
  return {matrix.data(), 1, static_cast<std::size_t>(matrix.rows())};
}

// Adds left * right to the columns of `out` from `first` on.
void add_narrowed(const MatrixView& left, const RowMatrix& right, RowMatrix& out, Eigen::Index first = 0) {
  add_product({.rows = static_cast<std::size_t>(out.rows()),
               .columns = static_cast<std::size_t>(right.cols()),
               .depth = static_cast<std::size_t>(right.rows()),
               .left = left,
               .right = right.data(),
               .right_stride = static_cast<std::size_t>(right.cols()),
               .out = out.data() + first,
               .out_stride = static_cast<std::size_t>(out.cols())});
}

template <class Matrix>
void write_matrix(ByteWriter& to, const Matrix& matrix) {
  to.number(static_cast<std::int64_t>(matrix.rows()));
  to.number(static_cast<std::int64_t>(matrix.cols()));
  to.numbers(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

template <class Matrix>
Matrix read_matrix(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t rows = from.number_within(0, most), columns = from.number_within(0, most);
  const std::vector<double> numbers = from.finites();
  if (static_cast<std::int64_t>(numbers.size()) != rows * columns) from.fail("the size of a matrix does not fit");
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

}  // namespace

StepTables step_tables(const Bag& bag, const PooledTables& tables, const SmoothModels& models, CellValues cells,
                       double tolerance) {
  const auto horizon = static_cast<Eigen::Index>(tables.horizon);
  const auto values = table_of(tables.values, tables.value_stride, tables.horizon + 1);
  Eigen::Index functions = cells == CellValues::yes ? values.rows() : 0, column = 0;
  for (const WaveModel& model : models.waves) functions += model.values.rows();
  for (const ActionModel& model : models.actions) functions += model.values.rows();
  Eigen::MatrixXd all(horizon + 1, functions);
  const auto add_functions = [&](const auto& of_draws) {
    for (const auto& model : of_draws) {
      all.middleCols(column, model.values.rows()) = model.values.transpose();
      column += model.values.rows();
    }
  };
  add_functions(models.waves);
  add_functions(models.actions);
  if (cells == CellValues::yes) all.rightCols(values.rows()) = values.transpose();
  StepTables result{.basis = step_basis(all, tolerance), .first_cell = tables.first_cell};
  const RowMatrix steps = result.basis;
  const Eigen::Index rank = steps.cols();
  const auto narrow_values = [&](const auto& of_draws, std::vector<RowMatrix>& narrow) {
    for (const auto& model : of_draws) {
      RowMatrix& numbers = narrow.emplace_back(padded(model.values.rows(), rank + 1));
      add_narrowed(view_of(model.values), steps, numbers);
      numbers.col(rank) = model.reward;
    }
  };
  narrow_values(models.waves, result.wave_values);
  narrow_values(models.actions, result.action_values);
  const double share = 1.0 / static_cast<double>(bag.members.size());
  if (cells == CellValues::yes) {
    result.cell_values = padded(values.rows(), rank + 1);
    add_narrowed(view_of(tables.values, tables.value_stride), share * steps, result.cell_values);
    result.cell_values.col(rank) = share * vector_of(tables.reward);
  }
  const Eigen::VectorXd per_seen = share * vector_of(tables.per_seen), per_visit = share * vector_of(tables.per_visit);
  RowMatrix now_and_later = RowMatrix::Zero(horizon, 2 * rank + 2);
  now_and_later.leftCols(rank) = steps.topRows(horizon);
  now_and_later.rightCols(rank) = steps.bottomRows(horizon);
  RowMatrix& of_cell = result.cell_mass = padded(per_seen.size(), 2 * rank + 2);
  add_narrowed(view_of(tables.mass, tables.mass_stride), now_and_later, of_cell);
  for (Eigen::Index cell = 0; cell < of_cell.rows(); ++cell) of_cell.row(cell) *= per_seen[cell];
  of_cell.col(rank) = per_visit.cwiseProduct(vector_of(tables.total_mass));
  of_cell.col(rank + 1) = per_seen.cwiseProduct(vector_of(tables.total_mass));
  return result;
}

CrossSides make_sides(const StepTables& tables, const Bag& bag, const SmoothRows& rows, Draws draws) {
  CrossSides sides{.basis = tables.basis, .mass = StateSide(bag, tables.first_cell, tables.cell_mass)};
  if (!tables.wave_values.empty()) {
    StateSide values(*rows.waves, tables.wave_values);
    sides.values.push_back(draws == Draws::mean ? values.averaged() : std::move(values));
  }
  if (tables.cell_values.size() > 0) sides.values.emplace_back(bag, tables.first_cell, tables.cell_values);
  if (!tables.action_values.empty()) sides.actions.emplace(*rows.actions, tables.action_values, draws == Draws::mean);
  return sides;
}

CrossSides values_by_cells(const SmoothRows& rows, const SmoothModels& models, const Bag& bag,
                           const PooledTables& tables, double tolerance, CellValues cells) {
  return make_sides(step_tables(bag, tables, models, cells, tolerance), bag, rows, Draws::each);
}

CrossSides cells_by_waves(const Bag& bag, const PooledTables& tables, const WaveRows& waves,
                          const std::vector<WaveModel>& models, double tolerance) {
  const auto horizon = static_cast<Eigen::Index>(tables.horizon);
  const auto values = table_of(tables.values, tables.value_stride, tables.horizon + 1);
  Eigen::MatrixXd functions(horizon, 2 * values.rows());
  functions << values.leftCols(horizon).transpose(), values.rightCols(horizon).transpose();
  RowMatrix steps = step_basis(functions, tolerance);
  const Eigen::Index rank = steps.cols();
  const double share = 1.0 / static_cast<double>(bag.members.size());
  RowMatrix of_cell = padded(values.rows(), 2 * rank + 1);
  MatrixView now = view_of(tables.values, tables.value_stride), later = now;
  ++later.data;
  add_narrowed(now, share * steps, of_cell);
  of_cell.col(rank) = share * vector_of(tables.reward);
  add_narrowed(later, share * steps, of_cell, rank + 1);
  std::vector<RowMatrix> of_wave;
  for (const WaveModel& model : models) {
    RowMatrix& narrow = of_wave.emplace_back(padded(model.occupancy.rows(), rank + 2));
    add_narrowed(view_of(model.occupancy), steps, narrow);
    narrow.col(rank) = narrow.col(rank + 1) = model.occupancy.rowwise().sum();
  }
  CrossSides sides{.basis = std::move(steps), .later_values = true, .mass = StateSide(waves, std::move(of_wave))};
  sides.values.emplace_back(bag, tables.first_cell, of_cell);
  return sides;
}

void CrossScorer::look_ahead(std::span<const LoggedEpisode> episodes) {
  values_ahead_.resize(sides_->values.size());
  for (std::size_t i = 0; i < sides_->values.size(); ++i) {
    if (sides_->values[i].of_cells()) values_ahead_[i].look(sides_->values[i], episodes);
  }
  if (sides_->mass.of_cells()) mass_ahead_.look(sides_->mass, episodes);
}

std::size_t CrossScorer::plain_variants() const {
  std::size_t of_values = 0;
  for (const StateSide& side : sides_->values) of_values += side.variants();
  return std::max(of_values, sides_->mass.variants());
}

void CrossScorer::score(const LoggedEpisode& episode, SmoothLook& look, std::span<double> scores,
                        std::span<double> start) {
  rows_of_episode(episode, rows_);
  values_ahead_.resize(sides_->values.size());
  values_ahead_.front().evaluate(sides_->values.front(), episode, rows_, look.waves, values_);
  for (std::size_t i = 1; i < sides_->values.size(); ++i) {
    values_ahead_[i].evaluate(sides_->values[i], episode, rows_, look.waves, more_);
    for (RowMatrix& numbers : more_) values_.push_back(std::move(numbers));
  }
  if (sides_->actions) sides_->actions->evaluate(episode, look.actions, action_values_);
  const auto steps = static_cast<std::size_t>(episode.length());
  const std::span<const RowView> masses =
      mass_ahead_.view(sides_->mass, episode, std::span(rows_).first(steps), look.waves);
  const auto at_first_step = [&](const RowMatrix& values) {
    return dot(values.row(0).data(), sides_->basis.row(0).data(), static_cast<std::size_t>(sides_->basis.cols()));
  };
  const std::size_t plain = plain_variants();
  for (std::size_t v = 0; v < scores.size(); ++v) {
    const RowView& mass = masses[std::min(v, masses.size() - 1)];
    if (v < plain) {
      const RowMatrix& values = values_[std::min(v, values_.size() - 1)];
      scores[v] = score(episode, values, values, mass, false);
      start[v] = at_first_step(values);
    } else {
      const RowMatrix& states = action_values_.state[v - plain];
      scores[v] = score(episode, states, action_values_.taken[v - plain], mass, true);
      start[v] = at_first_step(states);
    }
  }
}

// `values`: of the states; `taken`: of the steps.
double CrossScorer::score(const LoggedEpisode& episode, const RowMatrix& values, const RowMatrix& taken,
                          const RowView& mass, bool of_actions) const {
  const Eigen::Index rank = sides_->basis.cols();
  const auto size = static_cast<std::size_t>(rank);
  const Eigen::Index later_value = sides_->later_values ? rank + 1 : 0,
                     later_mass = sides_->later_values ? 0 : rank + 2;
  double score = dot(values.row(0).data(), sides_->basis.row(0).data(), size), discount = 1.0;
  for (Eigen::Index t = 0; t < episode.length(); ++t, discount *= gamma_) {
    const double weight = discount * episode.ratios[t];
    if (weight == 0.0) continue;
    const double reward = taken(t, rank);
    const double* const o = mass.row(t);
    double correction = o[rank] * (episode.rewards[t] - reward);
    const Outcome outcome = of_actions ? outcome_with_actions(episode, t) : outcome_of(episode, t);
    if (outcome.seen()) {
      correction += o[rank + 1] * reward - dot(taken.row(t).data(), o, size);
      if (outcome.next_row) correction += gamma_ * dot(values.row(t + 1).data() + later_value, o + later_mass, size);
    }
    score += weight * correction;
  }
  return score;
}

void StepTables::write(ByteWriter& to) const {
  write_matrix(to, basis);
  to.numbers(first_cell);
  write_matrix(to, cell_mass);
  write_matrix(to, cell_values);
  to.number(static_cast<std::uint64_t>(wave_values.size()));
  for (const RowMatrix& of_draw : wave_values) write_matrix(to, of_draw);
  to.number(static_cast<std::uint64_t>(action_values.size()));
  for (const RowMatrix& of_draw : action_values) write_matrix(to, of_draw);
}

StepTables StepTables::read(ByteReader& from) {
  const auto require = [&](bool holds) {
    if (!holds) from.fail("sizes of the tables of a family do not fit together");
  };
  StepTables tables;
  tables.basis = read_matrix<Eigen::MatrixXd>(from);
  tables.first_cell = from.labels();
  tables.cell_mass = read_matrix<RowMatrix>(from);
  tables.cell_values = read_matrix<RowMatrix>(from);
  const std::int64_t draws = from.number_within(0, 1000);
  for (std::int64_t draw = 0; draw < draws; ++draw) tables.wave_values.push_back(read_matrix<RowMatrix>(from));
  const std::int64_t of_actions = from.number_within(0, 1000);
  for (std::int64_t draw = 0; draw < of_actions; ++draw) tables.action_values.push_back(read_matrix<RowMatrix>(from));

  const Eigen::Index rank = tables.basis.cols();
  const auto width = [&](Eigen::Index columns) { return padded(0, columns).cols(); };
  require(tables.basis.rows() >= 2 && tables.first_cell.size() >= 2 && tables.first_cell.front() == 0);
  require(std::is_sorted(tables.first_cell.begin(), tables.first_cell.end()));
  const auto cells = static_cast<Eigen::Index>(tables.first_cell.back());
  require(tables.cell_mass.rows() == cells && tables.cell_mass.cols() == width(2 * rank + 2));
  if (tables.cell_values.size() > 0)
    require(tables.cell_values.rows() == cells && tables.cell_values.cols() == width(rank + 1));
  require(tables.cell_values.size() > 0 || draws > 0);
  for (const RowMatrix& of_draw : tables.wave_values)
    require(of_draw.cols() == width(rank + 1) && of_draw.rows() == tables.wave_values.front().rows());
  for (const RowMatrix& of_draw : tables.action_values)
    require(of_draw.cols() == width(rank + 1) && of_draw.rows() == tables.action_values.front().rows());
  return tables;
}

bool operator==(const StepTables& a, const StepTables& b) {
  const auto same = [](const auto& x, const auto& y) { return x.rows() == y.rows() && x.cols() == y.cols() && x == y; };
  return same(a.basis, b.basis) && a.first_cell == b.first_cell && same(a.cell_mass, b.cell_mass) &&
         same(a.cell_values, b.cell_values) &&
         std::equal(a.wave_values.begin(), a.wave_values.end(), b.wave_values.begin(), b.wave_values.end(), same) &&
         std::equal(a.action_values.begin(), a.action_values.end(), b.action_values.begin(), b.action_values.end(),
                    same);
}

CrossScores cross_scores(const CrossSides& sides, const Problem& problem, std::span<const std::int64_t> episodes,
                         Threads threads) {
  constexpr std::int64_t episodes_per_job = 64;
  const std::size_t variants = CrossScorer(sides, 1.0).variants();
  CrossScores result{.scores = std::vector(variants, std::vector<double>(episodes.size())),
                     .start = std::vector(variants, std::vector<double>(episodes.size()))};
  const auto count = static_cast<std::int64_t>(episodes.size());
  parallel_for((count + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    CrossScorer scorer(sides, problem.discount().gamma());
    SmoothLook look;
    std::vector<double> scores(variants), start(variants);
    std::vector<LoggedEpisode> of_job;
    const std::int64_t first = job * episodes_per_job;
    for (std::int64_t i = first; i < std::min(count, first + episodes_per_job); ++i)
      of_job.push_back(problem.episode(episodes[i]));
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < of_job.size(); ++i) {
      if (i == looked_at) {
        const auto line = next_in_line(std::span<const LoggedEpisode>(of_job).subspan(i));
        scorer.look_ahead(line);
        looked_at += line.size();
      }
      const std::size_t at = static_cast<std::size_t>(first) + i;
      scorer.score(of_job[i], look, scores, start);
      for (std::size_t v = 0; v < variants; ++v) {
        result.scores[v][at] = scores[v];
        result.start[v][at] = start[v];
      }
    }
  });
  return result;
}

std::vector<double> mean_over_draws(const std::vector<std::vector<double>>& by_draw) {
  std::vector<double> mean(by_draw.front().size(), 0.0);
  for (const std::vector<double>& one : by_draw) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += one[i] / static_cast<double>(by_draw.size());
  }
  return mean;
}

}  // namespace starope
