#include "starope/auto/cross_scores.hpp"

#include <algorithm>
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

class EpisodeScorer {
 public:
  EpisodeScorer(const CrossSides& sides, double gamma) : sides_(sides), gamma_(gamma) {}

  // One number per variant.
  void score(const LoggedEpisode& episode, std::span<double> scores, std::span<double> start) {
    look(episode);
    const Eigen::Index rank = sides_.basis.cols();
    for (std::size_t v = 0; v < scores.size(); ++v) {
      const RowMatrix& values = values_[std::min(v, values_.size() - 1)];
      const RowMatrix& mass = mass_[std::min(v, mass_.size() - 1)];
      start[v] = values.row(0).head(rank).dot(sides_.basis.row(0));
      scores[v] = start[v];
      double discount = 1.0;
      for (std::int64_t t = 0; t < episode.length(); ++t, discount *= gamma_) {
        const double weight = discount * episode.ratios[static_cast<std::size_t>(t)];
        if (weight == 0.0) continue;
        const double reward = values(t, rank);
        double correction = mass(t, 2 * rank) * (episode.rewards[static_cast<std::size_t>(t)] - reward);
        const Outcome outcome = outcome_of(episode, t);
        if (outcome.seen()) {
          correction += mass(t, 2 * rank + 1) * reward - values.row(t).head(rank).dot(mass.row(t).head(rank));
          if (outcome.next_row)
            correction += gamma_ * values.row(t + 1).head(rank).dot(mass.row(t).segment(rank, rank));
        }
        scores[v] += weight * correction;
      }
    }
  }

 private:
  void look(const LoggedEpisode& episode) {
    rows_.clear();
    for (std::int64_t t = 0; t < episode.length(); ++t) rows_.push_back(episode.first_row + t);
    sides_.mass.evaluate(rows_, mass_);
    const Outcome last = outcome_of(episode, episode.length() - 1);
    if (last.next_row) rows_.push_back(*last.next_row);
    sides_.values.evaluate(rows_, values_);
  }

  const CrossSides& sides_;
  double gamma_;
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> values_{}, mass_{};
};

}  // namespace

StateSide::StateSide(const Bag& bag, std::span<const std::uint32_t> first_cell, RowMatrix of_cell)
    : width_(of_cell.cols()), cells_(Cells{&bag, first_cell, std::move(of_cell)}) {
  keep_points(bag.point_of_row);
}

StateSide::StateSide(const WaveRows& waves, std::vector<Eigen::MatrixXd> of_wave)
    : width_(static_cast<Eigen::Index>(padded_to_lanes(static_cast<std::size_t>(of_wave.front().cols())))),
      waves_(Waves{&waves, {}}) {
  for (const Eigen::MatrixXd& narrow : of_wave) {
    waves_->of_wave.push_back(padded(narrow.rows(), narrow.cols()));
    waves_->of_wave.back().leftCols(narrow.cols()) = narrow;
  }
  keep_points(waves.features().point_of_row);
}

void StateSide::keep_points(const std::vector<std::int32_t>& point_of_row) {
  if (point_of_row.empty()) return;
  constexpr std::int64_t most_numbers = 8'000'000;
  const std::int64_t points = 1 + *std::max_element(point_of_row.begin(), point_of_row.end());
  if (points * width_ * static_cast<std::int64_t>(variants()) > most_numbers) return;
  std::vector<std::int64_t> row_of_point(static_cast<std::size_t>(points), -1);
  for (std::size_t row = point_of_row.size(); row-- > 0;) {
    row_of_point[static_cast<std::size_t>(point_of_row[row])] = static_cast<std::int64_t>(row);
  }
  // Points that no row has keep the numbers of row 0: nobody asks for them.
  for (std::int64_t& row : row_of_point) row = std::max<std::int64_t>(row, 0);
  std::vector<RowMatrix> of_point;
  evaluate(row_of_point, of_point);
  of_point_ = std::move(of_point);
  point_of_row_ = point_of_row;
}

StateSide StateSide::tabulated(const Problem& problem, std::span<const std::int64_t> episodes) const {
  if (!of_point_.empty()) return *this;
  StateSide table = *this;
  table.own_points_.assign(static_cast<std::size_t>(problem.data().state_rows()), 0);
  std::vector<std::int64_t> rows;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) rows.push_back(episode.first_row + t);
    const Outcome last = outcome_of(episode, episode.length() - 1);
    if (last.next_row) rows.push_back(*last.next_row);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.own_points_[static_cast<std::size_t>(rows[i])] = static_cast<std::int32_t>(i);
  }
  evaluate(rows, table.of_point_);
  // The mean over the draws.
  for (std::size_t v = 1; v < table.of_point_.size(); ++v) table.of_point_[0] += table.of_point_[v];
  table.of_point_[0] /= static_cast<double>(table.of_point_.size());
  table.of_point_.resize(1);
  table.point_of_row_ = table.own_points_;
  return table;
}

void StateSide::evaluate_cells(std::span<const std::int64_t> rows, RowMatrix& out) const {
  const Bag& bag = *cells_->bag;
  out.resize(static_cast<Eigen::Index>(rows.size()), width_);
  std::vector<std::uint32_t> cells(bag.members.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t m = 0; m < cells.size(); ++m) {
      cells[m] = cells_->first_cell[m] + bag.members[m].of_row[static_cast<std::size_t>(rows[i])];
    }
    const auto width = static_cast<std::size_t>(width_);
    sum_rows({.table = cells_->of_cell.data(),
              .stride = width,
              .width = width,
              .rows = cells.data(),
              .factors = nullptr,
              .levels = bag.levels(),
              .seeds = bag.seeds},
             out.row(static_cast<Eigen::Index>(i)).data());
  }
}

void StateSide::evaluate(std::span<const std::int64_t> rows, std::vector<RowMatrix>& out) const {
  out.resize(of_point_.empty() ? all_variants() : of_point_.size());
  if (!of_point_.empty()) {
    for (std::size_t v = 0; v < out.size(); ++v) {
      out[v].resize(static_cast<Eigen::Index>(rows.size()), width_);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        out[v].row(static_cast<Eigen::Index>(i)) = of_point_[v].row(point_of_row_[static_cast<std::size_t>(rows[i])]);
      }
    }
    return;
  }
  if (cells_) return evaluate_cells(rows, out.front());
  RowMatrix functions;
  for (std::size_t v = 0; v < out.size(); ++v) {
    waves_->rows->evaluate(v, rows, functions);
    out[v].setZero(functions.rows(), width_);
    const auto width = static_cast<std::size_t>(width_);
    add_product({.rows = rows.size(),
                 .columns = width,
                 .depth = static_cast<std::size_t>(functions.cols()),
                 .left = {functions.data(), static_cast<std::size_t>(functions.cols())},
                 .right = waves_->of_wave[v].data(),
                 .right_stride = width,
                 .out = out[v].data(),
                 .out_stride = width});
  }
}

CrossSides waves_by_cells(const WaveRows& waves, const std::vector<WaveModel>& models, const Bag& bag,
                          const PooledTables& tables) {
  const auto horizon = static_cast<Eigen::Index>(tables.horizon);
  Eigen::Index functions = 0, column = 0;
  for (const WaveModel& model : models) functions += model.values.rows();
  Eigen::MatrixXd all(horizon + 1, functions);
  for (const WaveModel& model : models) {
    all.middleCols(column, model.values.rows()) = model.values.transpose();
    column += model.values.rows();
  }
  Eigen::MatrixXd basis = step_basis(all);
  const Eigen::Index rank = basis.cols();
  std::vector<Eigen::MatrixXd> of_wave;
  for (const WaveModel& model : models) {
    of_wave.emplace_back(model.values.rows(), rank + 1);
    of_wave.back() << model.values * basis, model.reward;
  }
  const auto mass = table_of(tables.mass, tables.mass_stride, tables.horizon);
  const double share = 1.0 / static_cast<double>(bag.members.size());
  const Eigen::VectorXd per_seen = share * vector_of(tables.per_seen), per_visit = share * vector_of(tables.per_visit);
  RowMatrix of_cell = padded(mass.rows(), 2 * rank + 2);
  of_cell.leftCols(rank) = per_seen.asDiagonal() * (mass * basis.topRows(horizon));
  of_cell.middleCols(rank, rank) = per_seen.asDiagonal() * (mass * basis.bottomRows(horizon));
  of_cell.col(2 * rank) = per_visit.cwiseProduct(vector_of(tables.total_mass));
  of_cell.col(2 * rank + 1) = per_seen.cwiseProduct(vector_of(tables.total_mass));
  return {.basis = std::move(basis),
          .values = StateSide(waves, std::move(of_wave)),
          .mass = StateSide(bag, tables.first_cell, std::move(of_cell))};
}

CrossSides cells_by_waves(const Bag& bag, const PooledTables& tables, const WaveRows& waves,
                          const std::vector<WaveModel>& models) {
  const auto horizon = static_cast<Eigen::Index>(tables.horizon);
  const auto values = table_of(tables.values, tables.value_stride, tables.horizon + 1);
  Eigen::MatrixXd basis = step_basis(values.transpose());
  const Eigen::Index rank = basis.cols();
  const double share = 1.0 / static_cast<double>(bag.members.size());
  RowMatrix of_cell = padded(values.rows(), rank + 1);
  of_cell.leftCols(rank) = share * (values * basis);
  of_cell.col(rank) = share * vector_of(tables.reward);
  std::vector<Eigen::MatrixXd> of_wave;
  for (const WaveModel& model : models) {
    const Eigen::VectorXd total = model.occupancy.rowwise().sum();
    of_wave.emplace_back(model.occupancy.rows(), 2 * rank + 2);
    of_wave.back() << model.occupancy * basis.topRows(horizon), model.occupancy * basis.bottomRows(horizon), total,
        total;
  }
  return {.basis = std::move(basis),
          .values = StateSide(bag, tables.first_cell, std::move(of_cell)),
          .mass = StateSide(waves, std::move(of_wave))};
}

CrossScores cross_scores(const CrossSides& sides, const Problem& problem, std::span<const std::int64_t> episodes,
                         Threads threads) {
  constexpr std::int64_t episodes_per_job = 64;
  const std::size_t variants = std::max(sides.values.variants(), sides.mass.variants());
  CrossScores result{.scores = std::vector(variants, std::vector<double>(episodes.size())),
                     .start = std::vector(variants, std::vector<double>(episodes.size()))};
  const auto count = static_cast<std::int64_t>(episodes.size());
  parallel_for((count + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    EpisodeScorer scorer(sides, problem.discount().gamma());
    std::vector<double> scores(variants), start(variants);
    for (std::int64_t i = job * episodes_per_job; i < std::min(count, (job + 1) * episodes_per_job); ++i) {
      const auto at = static_cast<std::size_t>(i);
      scorer.score(problem.episode(episodes[at]), scores, start);
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
