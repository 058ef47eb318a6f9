#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/base/aligned.hpp"
#include "starope/problem.hpp"

namespace starope {

// The rows of the states of an episode, and of the one that follows its last step where the logs know it.
void rows_of_episode(const LoggedEpisode& episode, std::vector<std::int64_t>& rows);

// Numbers that belong to a state: means over the cells it has in the members of a bag, or combinations of waves, once
// per draw. Bag and waves must outlive it.
class StateSide {
 public:
  StateSide(const Bag& bag, std::span<const std::uint32_t> first_cell, const RowMatrix& of_cell);
  StateSide(const WaveRows& waves, std::vector<RowMatrix> of_wave);  // all of the same size

  std::size_t variants() const noexcept { return waves_ && !waves_->averaged ? waves_->of_wave.size() : 1; }
  Eigen::Index width() const noexcept { return width_; }
  bool of_cells() const noexcept { return cells_.has_value(); }
  // out[variant]: rows x width(). `look`: of this thread.
  void evaluate(std::span<const std::int64_t> rows, WaveLook& look, std::vector<RowMatrix>& out) const;

  // The mean over the draws as the only variant.
  StateSide averaged() const;

 private:
  struct Cells {
    const Bag* bag;
    std::vector<std::uint32_t> first_cell;
    AlignedVector<double> of_cell;  // a row per cell, padded to whole vectors; the sum over members is the mean
  };
  struct Waves {
    const WaveRows* rows;
    std::vector<RowMatrix> of_wave;  // per draw: columns of the draw x width
    bool averaged = false;           // the sum over the draws is the mean
  };
  void evaluate_cells(std::span<const std::int64_t> rows, RowMatrix& out) const;
  void keep_points(const std::vector<std::int32_t>& point_of_row);

  Eigen::Index width_ = 0;
  std::optional<Cells> cells_{};
  std::optional<Waves> waves_{};
  // Where many rows share few points, the numbers of every point are found once.
  std::span<const std::int32_t> point_of_row_{};
  std::vector<RowMatrix> of_point_{};
};

// Rows of numbers, one behind the other.
class RowView {
 public:
  RowView(const double* first, Eigen::Index width) : first_(first), width_(width) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a matrix is rows of numbers
  RowView(const RowMatrix& rows) : RowView(rows.data(), rows.cols()) {}

  const double* row(Eigen::Index i) const { return first_ + i * width_; }

 private:
  const double* first_;
  Eigen::Index width_;
};

// Numbers of cells at the states of several episodes, found together: tables are larger than the near caches, and a
// walk through one of them for many states costs less than one through all of them for every episode.
class CellsAhead {
 public:
  void look(const StateSide& side, std::span<const LoggedEpisode> episodes);  // in the order of their index
  // The first rows of the episode; of the side itself where it was not looked at.
  void evaluate(const StateSide& side, const LoggedEpisode& episode, std::span<const std::int64_t> rows, WaveLook& look,
                std::vector<RowMatrix>& out) const;
  // The same without a copy, where it was looked at: a view for each variant, valid until other episodes are.
  std::span<const RowView> view(const StateSide& side, const LoggedEpisode& episode, std::span<const std::int64_t> rows,
                                WaveLook& look);

 private:
  std::optional<Eigen::Index> first_row(const LoggedEpisode& episode) const;

  std::vector<std::pair<std::int64_t, Eigen::Index>> first_{};  // index of an episode, its first row
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> numbers_{}, others_{};  // others: of an episode that was not looked at
  std::vector<RowView> views_{};
};

// So many of the episodes as have some thousand steps together, at least one: what is looked at in one go.
std::span<const LoggedEpisode> next_in_line(std::span<const LoggedEpisode> episodes);

}  // namespace starope
