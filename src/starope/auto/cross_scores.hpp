#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/auto/wave_model.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Numbers that belong to a state: means over the cells it has in the members of a bag, or combinations of waves, once
// per draw.
class StateSide {
 public:
  StateSide(const Bag& bag, std::span<const std::uint32_t> first_cell, RowMatrix of_cell);
  StateSide(const WaveRows& waves, std::vector<Eigen::MatrixXd> of_wave);

  std::size_t variants() const noexcept { return of_point_.empty() ? all_variants() : of_point_.size(); }
  Eigen::Index width() const noexcept { return width_; }
  // out[variant]: rows x width().
  void evaluate(std::span<const std::int64_t> rows, std::vector<RowMatrix>& out) const;

  // The same for the states of some episodes, found once; the mean over the draws is the only variant.
  StateSide tabulated(const Problem& problem, std::span<const std::int64_t> episodes) const;

 private:
  std::size_t all_variants() const noexcept { return waves_ ? waves_->of_wave.size() : 1; }
  struct Cells {
    const Bag* bag;
    std::span<const std::uint32_t> first_cell;
    RowMatrix of_cell;  // a row per cell, padded to whole vectors; the sum over members is the mean
  };
  struct Waves {
    const WaveRows* rows;
    std::vector<RowMatrix> of_wave;  // per draw: columns of the draw x width
  };
  void evaluate_cells(std::span<const std::int64_t> rows, RowMatrix& out) const;
  void keep_points(const std::vector<std::int32_t>& point_of_row);

  Eigen::Index width_ = 0;
  std::optional<Cells> cells_{};
  std::optional<Waves> waves_{};
  // Where many rows share few points, the numbers of every point are found once.
  std::span<const std::int32_t> point_of_row_{};
  std::vector<std::int32_t> own_points_{};
  std::vector<RowMatrix> of_point_{};
};

// The doubly robust score (pooled_scores.hpp) with values from one class of functions and occupancies from another.
// Both are told in a basis of functions of the step (step_basis.hpp), in which V_k(s) = basis_k' v(s):
//
//     s = V_0(s_0) + sum over t of w_t Omega(s_t) [r_t - r(s_t)]
//                  + sum over t with a seen outcome of w_t [g v(s_{t+1})' o1(s_t) - v(s_t)' o0(s_t) + W(s_t) r(s_t)]
//
// with o0 = sum_k omega_k basis_k, o1 = sum_k omega_k basis_{k+1}, W = sum_k omega_k over seen, Omega over all steps.
struct CrossSides {
  Eigen::MatrixXd basis{};  // (H+1) x rank
  StateSide values;         // [v | r]
  StateSide mass;           // [o0 | o1 | Omega | W]
};

CrossSides waves_by_cells(const WaveRows& waves, const std::vector<WaveModel>& models, const Bag& bag,
                          const PooledTables& tables);
CrossSides cells_by_waves(const Bag& bag, const PooledTables& tables, const WaveRows& waves,
                          const std::vector<WaveModel>& models);

// One list per draw, one number per episode.
struct CrossScores {
  std::vector<std::vector<double>> scores{};
  std::vector<std::vector<double>> start{};  // V_0(s_0) alone
};
CrossScores cross_scores(const CrossSides& sides, const Problem& problem, std::span<const std::int64_t> episodes,
                         Threads threads = Threads::all());

std::vector<double> mean_over_draws(const std::vector<std::vector<double>>& by_draw);

}  // namespace starope
