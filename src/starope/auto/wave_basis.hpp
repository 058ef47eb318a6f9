#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Smooth functions of the state, one draw: a constant, the features, and waves in random directions (random Fourier
// features, Rahimi & Recht 2007), docs/auto-math.md 4.1. With x the features minus their mean over the logged steps,
// d of them, and width^2 the sum of their variances there:
//
//     [1, sqrt(d) x / width, sqrt(2) cos(u_j' x + a_j)]      u_j normal, a_j uniform on [0, 2 pi)
struct WaveBasis {
  std::vector<double> center{};  // one per feature that is looked at
  double width = 1.0;
  std::vector<double> directions{};  // features x waves
  std::vector<double> phases{};      // one per wave

  std::int64_t features() const noexcept { return static_cast<std::int64_t>(center.size()); }
  std::int64_t waves() const noexcept { return static_cast<std::int64_t>(phases.size()); }
  std::int64_t columns() const noexcept { return 1 + features() + waves(); }

  // Writes columns() numbers. x has at least features() numbers.
  void evaluate(const double* x, double* out) const;

  friend bool operator==(const WaveBasis&, const WaveBasis&) = default;
};

struct WaveOptions {
  int draws = 5;
  int waves = 96;  // or a few more, so that the number of columns is a multiple of eight
  Seed seed{};
  std::uint32_t which = 0;  // of several sets of features of the same logs: their waves share no numbers
  // Equal shares of the waves have frequencies of these sizes, in units of 1 / width.
  std::vector<double> frequencies{2.0, 1.0, 1.0};
};
std::vector<WaveBasis> draw_waves(const BagFeatures& features, const Problem& problem, const WaveOptions& options);

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The functions of several draws at the state rows of the logs that `features` (which must outlive this) belong to.
// They are evaluated once and kept where they are not too many.
class WaveRows {
 public:
  WaveRows(std::vector<WaveBasis> draws, const BagFeatures& features, Threads threads = Threads::all());

  std::size_t draws() const noexcept { return draws_.size(); }
  const WaveBasis& basis(std::size_t draw) const { return draws_[draw]; }
  const BagFeatures& features() const noexcept { return *features_; }
  Eigen::Index columns() const noexcept { return draws_.front().columns(); }

  // One row of the matrix for each row that is asked for.
  void evaluate(std::size_t draw, std::span<const std::int64_t> rows, RowMatrix& out) const;
  void evaluate(std::size_t draw, std::span<const std::int64_t> rows, double* out) const;

  // The same without a copy, where they are kept and lie one behind the other; else null.
  const double* kept(std::size_t draw, std::span<const std::int64_t> rows) const {
    const bool together = !kept_.empty() && features_->point_of_row.empty() && !rows.empty() &&
                          rows.back() - rows.front() + 1 == static_cast<std::int64_t>(rows.size());
    return together ? kept_[draw].row(rows.front()).data() : nullptr;
  }

 private:
  std::int64_t point_of(std::int64_t row) const {
    return features_->point_of_row.empty() ? row : features_->point_of_row[row];
  }

  std::vector<WaveBasis> draws_;
  const BagFeatures* features_;
  std::vector<RowMatrix> kept_{};  // [draw]: a row per point
};

// Looks at rows for one thread. What it saw last is remembered: several questions about the same rows, one after the
// other, evaluate the functions once.
class WaveLook {
 public:
  // rows x columns, one behind the other; valid until other rows are asked for.
  const double* functions(const WaveRows& waves, std::size_t draw, std::span<const std::int64_t> rows);

 private:
  struct Slot {
    const WaveRows* of = nullptr;
    std::vector<std::int64_t> rows{};
    std::vector<double> functions{};
  };
  std::vector<Slot> slots_{};  // one per draw
};

}  // namespace starope
