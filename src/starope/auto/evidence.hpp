#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "starope/auto/markov.hpp"
#include "starope/auto/paired_shift.hpp"
#include "starope/estimators.hpp"

namespace starope {

// A family is one way to score episodes; the mean of its scores is its answer. No family is right everywhere, so each
// carries the evidence against it.
enum class FamilyKind { cells, waves, other_cells, traces, lags, anchor, actions };
inline constexpr std::size_t family_kinds = 7;

const char* name_of(FamilyKind kind) noexcept;

// What longer windows of ratios move (docs/auto-math.md 4.9): both see more of what happened before a step than the
// state tells. What cells smear may move the shorter one alone.
struct WindowShifts {
  PairedShift shorter{}, longer{};

  // Whether both say that more than `effect` lies between the policies: models smear what these differ by.
  bool say_more(double effect) const noexcept;
  // The same, or that the other policy is better.
  bool contradict(double effect) const noexcept;
  // Whether the longer one moves the answer clearly further the same way: what acts for long. Edges of cells do not.
  bool grow() const noexcept;
  // The squared shift that noise explains in neither window where they say more; in the longer one where they say less
  // and grow; else 0.
  double lasting(double effect) const noexcept;
};

// What a family brings along. Squares are in the unit of squared value.
struct FamilyScores {
  FamilyKind kind = FamilyKind::cells;
  std::vector<double> scores{};                 // one per episode
  std::vector<std::array<double, 2>> halves{};  // of every split: its answers on both halves
  double ladder = 0.0;                          // squared: how far finer abstractions are off
  double learning = 0.0;  // squared: what the shift between half of the data and all of it foretells
  double seeds = 0.0;     // variance: over the seeds of its abstractions
  double draws = 0.0;     // variance: over the draws of its waves
  double moving = 0.0;    // squared: what one more ratio still moves
  std::optional<WindowShifts> windows{};
  std::optional<PairedShift>
      off{};  // of cells: by how much occupancies from waves move the answer; of waves: from cells
};

// What families say about each other, beyond their answers.
struct CrossEvidence {
  MarkovTest cells_history{};                  // does a second ratio move the cells' answer?
  std::optional<MarkovTest> traces_history{};  // and that of the traces?
  double anchor_ess = 0.0;                     // effective sample size of the anchor's weights
  bool anchor_by_actions = false;              // its residuals are those of actions, without their luck
  bool anchor_healthy = false;
  double logged = 0.0;  // what the logged policy earns
  // By the evidence; or only families that remember (on), or those in any case (mixed).
  History history = History::automatic;
};

// Why a family may be wrong.
enum class DoubtKind {
  sampling,
  half_samples,
  finer_cells,
  learning_curve,
  draws,
  history,
  smooth_functions,
  cells,
  anchor,
  windows,
};
const char* phrase_of(DoubtKind kind) noexcept;  // for people, behind "decided by"

// One reason to distrust a family.
struct Doubt {
  DoubtKind kind = DoubtKind::sampling;
  double squared = 0.0;  // in its estimated mean squared error, which decides its weight
  double counted = 0.0;  // in the variance of the answer
};

struct WeighedFamily {
  FamilyKind kind = FamilyKind::cells;
  double value = 0.0;
  double std_error = 0.0;    // spread of the scores
  double instability = 0.0;  // mean over half-samples of J(half) - J
  double effective = 0.0;    // how many episodes the spread rests on
  std::vector<Doubt> doubts{};
  bool admitted = true;
  std::string why_not{};  // where it takes no part
  double weight = 0.0;

  double mean_squared_error() const;  // the sum of its doubts
  double counted() const;
  double counted(DoubtKind why) const;
  std::string reason() const;  // the one that decided its weight: its largest doubt, or why it takes no part
};

// The parts of the variance of the answer.
struct AnswerErrors {
  double score = 0.0;        // spread of the mixed scores
  double half = 0.0;         // spread between halves of the episodes (the larger of these two counts)
  double instability = 0.0;  // squared: how far half-samples are off on average
  double spread = 0.0;       // between families
  double doubts = 0.0;       // what the doubts count
  double seeds = 0.0;
  double draws = 0.0;

  double total() const noexcept;
  friend bool operator==(const AnswerErrors&, const AnswerErrors&) = default;
};

struct WeighedAnswer {
  double value = 0.0;
  std::vector<double> scores{};  // the mixture, one per episode
  std::vector<WeighedFamily> families{};
  AnswerErrors errors{};
  double classes_apart = 0.0;   // squared: what cells and waves differ by beyond noise
  double classes_spread = 0.0;  // of the spread between families: the part of cells and waves
  // What the families that look at the state alone leave out: squared, counted with their weights, and in which
  // direction families that remember lie from the answer.
  double hidden_history = 0.0;
  double hidden_shift = 0.0;
  WindowShifts windows{};  // of the mixture; families that remember have none

  const WeighedFamily* find(FamilyKind kind) const;
  double weight_of(FamilyKind kind) const;
  double remembering() const;  // the weight of the families that see more than the state
};

// docs/auto-math.md 4.5. The first family must be the cells.
WeighedAnswer weigh(const std::vector<FamilyScores>& families, const CrossEvidence& evidence);

}  // namespace starope
