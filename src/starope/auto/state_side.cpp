#include "starope/auto/state_side.hpp"

#include <algorithm>
#include <utility>

#include "starope/auto/row_sums.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {

void rows_of_episode(const LoggedEpisode& episode, std::vector<std::int64_t>& rows) {
  rows.clear();
  for (std::int64_t t = 0; t < episode.length(); ++t) rows.push_back(episode.first_row + t);
  const Outcome last = outcome_of(episode, episode.length() - 1);
  if (last.next_row) rows.push_back(*last.next_row);
}

StateSide::StateSide(const Bag& bag, std::span<const std::uint32_t> first_cell, const RowMatrix& of_cell)
    : width_(of_cell.cols()),
      cells_(Cells{&bag, {first_cell.begin(), first_cell.end()}, {of_cell.data(), of_cell.data() + of_cell.size()}}) {
  keep_points(bag.point_of_row);
}

StateSide::StateSide(const WaveRows& waves, std::vector<RowMatrix> of_wave)
    : width_(of_wave.front().cols()), waves_(Waves{&waves, std::move(of_wave), false}) {
  keep_points(waves.features().point_of_row);
}

void StateSide::keep_points(const std::vector<std::int32_t>& point_of_row) {
  if (point_of_row.empty()) return;
  constexpr std::int64_t most_numbers = 8'000'000;
  const std::int64_t points = 1 + *std::max_element(point_of_row.begin(), point_of_row.end());
  if (points * width_ * static_cast<std::int64_t>(variants()) > most_numbers) return;
  std::vector<std::int64_t> row_of_point(points, -1);
  for (std::size_t row = point_of_row.size(); row-- > 0;) {
    row_of_point[point_of_row[row]] = static_cast<std::int64_t>(row);
  }
  // Points that no row has keep the numbers of row 0: nobody asks for them.
  for (std::int64_t& row : row_of_point) row = std::max<std::int64_t>(row, 0);
  std::vector<RowMatrix> of_point;
  WaveLook look;
  evaluate(row_of_point, look, of_point);
  of_point_ = std::move(of_point);
  point_of_row_ = point_of_row;
}

StateSide StateSide::averaged() const {
  StateSide mean = *this;
  if (!waves_ || waves_->averaged) return mean;
  const auto draws = static_cast<double>(waves_->of_wave.size());
  for (RowMatrix& numbers : mean.waves_->of_wave) numbers /= draws;
  mean.waves_->averaged = true;
  if (mean.of_point_.empty()) return mean;
  for (std::size_t v = 1; v < mean.of_point_.size(); ++v) mean.of_point_[0] += mean.of_point_[v];
  mean.of_point_[0] /= draws;
  mean.of_point_.resize(1);
  return mean;
}

void StateSide::evaluate_cells(std::span<const std::int64_t> rows, RowMatrix& out) const {
  const Bag& bag = *cells_->bag;
  out.resize(static_cast<Eigen::Index>(rows.size()), width_);
  // Some rows at a time, member by member: the labels of a member lie together.
  constexpr std::size_t rows_at_once = 64;
  const std::size_t members = bag.members.size();
  const auto width = static_cast<std::size_t>(width_);
  std::vector<std::uint32_t> cells(rows_at_once * members);
  for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, rows.size() - first);
    for (std::size_t m = 0; m < members; ++m) {
      const Label* const label = bag.members[m].of_row.data();
      const std::uint32_t first_cell = cells_->first_cell[m];
      for (std::size_t i = 0; i < count; ++i) cells[i * members + m] = first_cell + label[rows[first + i]];
    }
    for (std::size_t i = 0; i < count; ++i) {
      sum_rows({.table = cells_->of_cell.data(),
                .stride = width,
                .width = width,
                .rows = cells.data() + i * members,
                .levels = bag.levels(),
                .seeds = bag.seeds},
               out.row(static_cast<Eigen::Index>(first + i)).data());
    }
  }
}

void StateSide::evaluate(std::span<const std::int64_t> rows, WaveLook& look, std::vector<RowMatrix>& out) const {
  out.resize(variants());
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (!of_point_.empty()) {
    for (std::size_t v = 0; v < out.size(); ++v) {
      out[v].resize(count, width_);
      for (Eigen::Index i = 0; i < count; ++i) {
        const std::int64_t row = rows[i];
        out[v].row(i) = of_point_[v].row(point_of_row_[row]);
      }
    }
    return;
  }
  if (cells_) return evaluate_cells(rows, out.front());
  for (RowMatrix& numbers : out) numbers.setZero(count, width_);
  const auto width = static_cast<std::size_t>(width_), columns = static_cast<std::size_t>(waves_->rows->columns());
  for (std::size_t draw = 0; draw < waves_->of_wave.size(); ++draw) {
    RowMatrix& numbers = out[waves_->averaged ? 0 : draw];
    add_product({.rows = rows.size(),
                 .columns = width,
                 .depth = columns,
                 .left = {look.functions(*waves_->rows, draw, rows), columns},
                 .right = waves_->of_wave[draw].data(),
                 .right_stride = width,
                 .out = numbers.data(),
                 .out_stride = width});
  }
}

void CellsAhead::look(const StateSide& side, std::span<const LoggedEpisode> episodes) {
  first_.clear();
  rows_.clear();
  std::vector<std::int64_t> rows;
  for (const LoggedEpisode& episode : episodes) {
    first_.emplace_back(episode.index, static_cast<Eigen::Index>(rows_.size()));
    rows_of_episode(episode, rows);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  WaveLook unused;
  side.evaluate(rows_, unused, numbers_);
}

void CellsAhead::evaluate(const StateSide& side, const LoggedEpisode& episode, std::span<const std::int64_t> rows,
                          WaveLook& look, std::vector<RowMatrix>& out) const {
  const std::optional<Eigen::Index> first = first_row(episode);
  if (!first) return side.evaluate(rows, look, out);
  out.resize(1);
  out.front() = numbers_.front().middleRows(*first, static_cast<Eigen::Index>(rows.size()));
}

std::span<const RowView> CellsAhead::view(const StateSide& side, const LoggedEpisode& episode,
                                          std::span<const std::int64_t> rows, WaveLook& look) {
  views_.clear();
  if (const std::optional<Eigen::Index> first = first_row(episode)) {
    const RowMatrix& numbers = numbers_.front();
    views_.emplace_back(numbers.row(*first).data(), numbers.cols());
  } else {
    side.evaluate(rows, look, others_);
    views_.assign(others_.begin(), others_.end());
  }
  return views_;
}

std::optional<Eigen::Index> CellsAhead::first_row(const LoggedEpisode& episode) const {
  const auto found = std::lower_bound(first_.begin(), first_.end(), episode.index,
                                      [](const auto& known, std::int64_t index) { return known.first < index; });
  if (found == first_.end() || found->first != episode.index) return std::nullopt;
  return found->second;
}

std::span<const LoggedEpisode> next_in_line(std::span<const LoggedEpisode> episodes) {
  constexpr std::int64_t steps_in_line = 4096;
  std::size_t count = 0;
  std::int64_t steps = 0;
  while (count < episodes.size() && (count == 0 || steps + episodes[count].length() <= steps_in_line))
    steps += episodes[count++].length();
  return episodes.first(count);
}

}  // namespace starope
