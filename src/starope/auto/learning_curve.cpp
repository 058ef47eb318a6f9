#include "starope/auto/learning_curve.hpp"

#include <algorithm>

#include "starope/stats/moments.hpp"

namespace starope {

double* shift_of(LearningCurve& curve, FamilyKind kind) {
  if (kind == FamilyKind::cells) return &curve.cells;
  if (kind == FamilyKind::waves) return &curve.waves;
  return kind == FamilyKind::actions ? &curve.actions : nullptr;
}

double foretold(const FamilyScores& family, double shift) {
  const double error = moments(family.scores).standard_error();
  double between = 0.0;
  for (const auto& half : family.halves) {
    between += 0.25 * (half[0] - half[1]) * (half[0] - half[1]) / static_cast<double>(family.halves.size());
  }
  // A bias that shrinks like n^-1/2 is 1 / (sqrt 2 - 1) times its change from n to n / 2.
  constexpr double ahead = 2.4;
  return std::max(0.0, ahead * shift * ahead * shift - 2.0 * std::max(error * error, between));
}

void learn_as_cells(std::vector<FamilyScores>& families) {
  for (FamilyScores& family : families) {
    const FamilyKind kind = family.kind;
    if (kind == FamilyKind::waves || kind == FamilyKind::actions || kind == FamilyKind::other_cells)
      family.learning = std::max(family.learning, families.front().learning);
  }
}

}  // namespace starope
