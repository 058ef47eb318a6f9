#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "starope/auto/action_model.hpp"
#include "starope/auto/action_side.hpp"
#include "starope/auto/bag.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/auto/state_side.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/auto/wave_model.hpp"
#include "starope/base/aligned.hpp"
#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// The doubly robust score (pooled_scores.hpp) with values from one class of functions and occupancies from another.
// Both are told in a basis of functions of the step k < H (step_basis.hpp), in which V_k(s) = basis_k' v(s):
//
//     s = V_0(s_0) + sum over t of w_t Omega(s_t) [r_t - r(s_t)]
//                  + sum over t with a seen outcome of w_t [g later(s_{t+1}, s_t) - v(s_t)' o(s_t) + W(s_t) r(s_t)]
//
// with o = sum_k omega_k basis_k, W = sum_k omega_k over seen, Omega over all steps. What comes later, sum_k omega_k(s)
// V_{k+1}(s'), is v(s')' o1(s) with o1 = sum_k omega_k basis_{k+1}; or v1(s')' o(s), where V_{k+1}(s) = basis_k' v1(s):
// whichever keeps the dearer side narrow.
struct CrossSides {
  RowMatrix basis{};  // H (or H+1) x rank
  bool later_values = false;
  std::vector<StateSide> values{};  // [v | r], or [v | r | v1] with later_values; several, scored side by side
  StateSide mass;                   // [o | Omega | W | o1], or [o | Omega | W] with later_values
  // [v | r] of values of actions, further variants without later_values: what is said of s_t above is then said of
  // (s_t, a_t), and of s_{t+1} and s_0 the mean over the target policy's actions.
  std::optional<ActionSide> actions{};
};

// What scores with occupancies of cells need to know of the models: a value that the states of any logs can be scored
// with, if their cells and waves are known.
struct StepTables {
  Eigen::MatrixXd basis{};  // (H+1) x rank
  std::vector<std::uint32_t> first_cell{};
  RowMatrix cell_mass{};                 // a row per cell: [o | Omega | W | o1]; here and below padded to whole vectors
  RowMatrix cell_values{};               // a row per cell: [v | r]; empty: not wanted
  std::vector<RowMatrix> wave_values{};  // per draw, a row per function: [v | r]; empty: not wanted
  std::vector<RowMatrix> action_values{};  // the same of values of actions, a row per coefficient

  void write(ByteWriter& to) const;
  static StepTables read(ByteReader& from);  // DataError `bad_bytes`
  friend bool operator==(const StepTables& a, const StepTables& b);
};

// Whose values are wanted, besides the cells' if they are: one model per draw; none: no such values.
struct SmoothModels {
  std::vector<WaveModel> waves{};
  std::vector<ActionModel> actions{};
};
// `tolerance`: of the step basis.
enum class CellValues { no, yes };
StepTables step_tables(const Bag& bag, const PooledTables& tables, const SmoothModels& models, CellValues cells,
                       double tolerance);

// For comparisons; for answers, those of kept models as well; and for evidence, which is noise from the third digit on.
// Just so coarse that the numbers of CartPole fill whole vectors (docs/decisions/0261).
inline constexpr double fine_steps = 1e-10, model_steps = 3e-8, coarse_steps = 3e-6;

// The functions of the states of some logs.
struct SmoothRows {
  const WaveRows* waves = nullptr;
  const ActionRows* actions = nullptr;
};
// The values of the waves first (where the tables have them), then those of the cells, then those of actions. `draws`:
// the mean over the draws alone, or each of them.
enum class Draws { each, mean };
CrossSides make_sides(const StepTables& tables, const Bag& bag, const SmoothRows& rows, Draws draws);

CrossSides values_by_cells(const SmoothRows& rows, const SmoothModels& models, const Bag& bag,
                           const PooledTables& tables, double tolerance = fine_steps,
                           CellValues cells = CellValues::no);
CrossSides cells_by_waves(const Bag& bag, const PooledTables& tables, const WaveRows& waves,
                          const std::vector<WaveModel>& models, double tolerance = fine_steps);

// What a thread remembers of the functions at the states it saw last.
struct SmoothLook {
  WaveLook waves{};
  ActionLook actions{};
};

// Scores episodes for one thread. The look may be shared by several scorers that see the same episodes in turn.
class CrossScorer {
 public:
  CrossScorer(const CrossSides& sides, double gamma) : sides_(&sides), gamma_(gamma) {}

  std::size_t variants() const { return plain_variants() + (sides_->actions ? sides_->actions->variants() : 0); }
  std::size_t plain_variants() const;  // without those of actions, which are the last
  // Finds numbers of cells for episodes that will be scored, in the order of their index.
  void look_ahead(std::span<const LoggedEpisode> episodes);
  // One number per variant; `start` is V_0(s_0) alone.
  void score(const LoggedEpisode& episode, SmoothLook& look, std::span<double> scores, std::span<double> start);
  // What the values are at the states of the episode that was scored last: [variant], rows x width.
  const std::vector<RowMatrix>& values() const noexcept { return values_; }
  const ActionSide::Numbers& action_values() const noexcept { return action_values_; }

 private:
  double score(const LoggedEpisode& episode, const RowMatrix& values, const RowMatrix& taken, const RowView& mass,
               bool of_actions) const;

  const CrossSides* sides_;
  double gamma_;
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> values_{}, more_{};
  ActionSide::Numbers action_values_{};
  std::vector<CellsAhead> values_ahead_{};
  CellsAhead mass_ahead_{};
};

// One list per draw, one number per episode.
struct CrossScores {
  std::vector<std::vector<double>> scores{};
  std::vector<std::vector<double>> start{};
};
CrossScores cross_scores(const CrossSides& sides, const Problem& problem, std::span<const std::int64_t> episodes,
                         Threads threads = Threads::all());

std::vector<double> mean_over_draws(const std::vector<std::vector<double>>& by_draw);

}  // namespace starope
