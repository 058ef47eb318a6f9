#pragma once

#include <vector>

#include "starope/auto/evidence.hpp"

namespace starope {

// What half of the data says of more data (docs/auto-math.md 4.4).
struct LearningCurve {
  double cells = 0.0;  // mean over halves, each with cells of its own, minus the answer
  double waves = 0.0;
  double actions = 0.0;
};

// The shift of such a family; null: it has no curve.
double* shift_of(LearningCurve& curve, FamilyKind kind);

// Squared: the bias that a shift between half of the data and all of it foretells, beyond noise. The family has its
// answers on halves.
double foretold(const FamilyScores& family, double shift);

// Slow features of ids are learned from the logs as well, and of all curves only that of the cells (the first family)
// holds what halves make of them: what else lives on the state alone learns at least as much.
void learn_as_cells(std::vector<FamilyScores>& families);

}  // namespace starope
