#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/auto_model.hpp"
#include "starope/auto/cell_family.hpp"
#include "starope/auto/evidence.hpp"
#include "starope/auto/family_views.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/estimators.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// What half of the data says of more data (docs/auto-math.md 4.4).
struct LearningCurve {
  double cells = 0.0;  // mean over halves, each with cells of its own, minus the answer
  double waves = 0.0;
  double actions = 0.0;
};

// Fits all families of `auto` to the logs and gathers what they say of each other. The problem has its horizon.
struct FittedFamilies {
  Problem problem;  // as models for all steps may see it
  HorizonEnds ends{};
  CellFamily cells{};
  std::vector<FamilyScores> scores{};  // the cells first
  CrossEvidence evidence{};
  LearningCurve curve{};
  std::optional<FamilyModels> models{};  // where they are asked for
};

// Slow features of ids are learned from the logs as well, and of all learning curves only that of the cells (the first)
// holds what halves make of them: what else lives on the state alone learns at least as much.
void learn_as_cells(std::vector<FamilyScores>& families);

FittedFamilies fit_families(const Problem& question, const FamilyOptions& options);

}  // namespace starope
