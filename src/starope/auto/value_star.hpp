#pragma once

#include <cstdint>

#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/star.hpp"
#include "starope/phi/labels.hpp"

namespace starope {

// STAR with one abstraction that knows what matters, for those who want to look at the abstract states: a bag of
// k-means abstractions first learns what every state is worth and how much more often the target policy is there; then
// states that agree in both share a cell. `star.phi` is not looked at.
struct ValueStar {
  std::int64_t clusters = 64;
  Seed seed{};
  Star star{};
  friend bool operator==(const ValueStar&, const ValueStar&) = default;
};

// The cells: k-means on (mean value over the bag, logarithm of the mean occupancy ratio), both standardised.
FittedAbstraction value_abstraction(const ValueStar& recipe, const Problem& problem, Threads threads = Threads::all());

StarFit fit(const ValueStar& star, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const ValueStar& star, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
