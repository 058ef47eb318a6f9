#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/auto_model.hpp"
#include "starope/auto/cell_family.hpp"
#include "starope/auto/evidence.hpp"
#include "starope/auto/family_views.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/learning_curve.hpp"
#include "starope/estimators.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

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

FittedFamilies fit_families(const Problem& question, const FamilyOptions& options);

}  // namespace starope
