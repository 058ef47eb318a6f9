#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Functions of a step, one draw, for values of actions (docs/auto-math.md 4.7). With y = [x, p]: the features of the
// state and the target policy's probabilities of all actions there, both centered and scaled,
//
//     phi = [1, y, max(0, u_j' y - c_j)]           Q(s, a) = phi' b + psi' b_a,     psi: the first numbers of phi
//
// so that actions share what their values have in common, and differ where the first functions show it. Knees are
// sharper than waves: c_j lets each pass through a logged step.
struct ActionBasis {
  std::int64_t actions = 0;
  std::int64_t own = 1;              // functions that have coefficients per action: the first of all
  std::vector<double> center{};      // of x, then of p
  std::vector<double> scale{};       // the same
  std::vector<double> directions{};  // y x knees
  std::vector<double> offsets{};     // one per knee

  std::int64_t features() const noexcept { return static_cast<std::int64_t>(center.size()) - actions; }
  std::int64_t knees() const noexcept { return static_cast<std::int64_t>(offsets.size()); }
  std::int64_t columns() const noexcept { return 1 + static_cast<std::int64_t>(center.size()) + knees(); }
  std::int64_t coefficients() const noexcept { return columns() + actions * own; }

  // Of y that is scaled already: `count` rows of columns() numbers, the first 1 + center.size() of which are there.
  void add_knees(std::size_t count, double* rows) const;

  void write(ByteWriter& to) const;
  static ActionBasis read(ByteReader& from);  // DataError `bad_bytes`
  friend bool operator==(const ActionBasis&, const ActionBasis&) = default;
};

struct ActionOptions {
  int draws = 2;
  int knees = 96;  // or a few more, so that the number of columns is a multiple of eight
  Seed seed{};
};

// Whether the logs say what is needed: discrete actions, and the target policy's probabilities of all of them, not more
// than some hundred.
bool knows_all_actions(const Problem& problem);

std::vector<ActionBasis> draw_actions(const BagFeatures& features, const Problem& problem,
                                      const ActionOptions& options);

// The functions of several draws at the steps of some logs. Features and problem must outlive it.
class ActionRows {
 public:
  ActionRows(std::vector<ActionBasis> draws, const BagFeatures& features, const Problem& problem);

  std::size_t draws() const noexcept { return draws_.size(); }
  const ActionBasis& basis(std::size_t draw) const { return draws_[draw]; }
  std::int32_t action(std::int64_t row) const { return actions_[row]; }
  const double* target(std::int64_t row) const {
    return target_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(draws_.front().actions);
  }

  // [1, y] of a step.
  void evaluate_inputs(std::int64_t row, double* out) const;
  // `count` steps from `first` on, one row of columns() numbers each.
  void evaluate(std::size_t draw, std::int64_t first, std::int64_t count, double* out) const;

 private:
  std::vector<ActionBasis> draws_;
  const BagFeatures* features_;
  std::span<const std::int32_t> actions_;
  std::span<const double> target_;
};

// Looks at episodes for one thread, and remembers the last: several models ask about the same one.
class ActionLook {
 public:
  const double* functions(const ActionRows& rows, std::size_t draw, std::int64_t first, std::int64_t count);

 private:
  struct Slot {
    const ActionRows* of = nullptr;
    std::int64_t first = -1, count = 0;
    std::vector<double> functions{};
  };
  std::vector<Slot> slots_{};  // one per draw
};

}  // namespace starope
