#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// A row and the one with the same action whose state is nearest, each feature measured in its standard deviations.
struct NearestRow {
  std::int64_t row = 0;
  std::int64_t other = 0;
  double distance = 0.0;  // squared
  friend bool operator==(const NearestRow&, const NearestRow&) = default;
};

// Of at most `most` rows that stand apart: neighbors in time are neighbors in space, and would only be compared with
// each other. Rows whose action no other has are left out; of equally near ones the first is taken. `weights`, one for
// each feature, stretch it; none: all alike.
std::vector<NearestRow> nearest_rows(const Dataset& data, const DenseStates& states, const DiscreteActions& actions,
                                     std::int64_t most, std::span<const double> weights = {});

// How much each feature alone says of y, from 0 (no more than chance) to 1: how much nearer y is between rows with the
// same action that follow each other in the order of the feature than between any two of them.
std::vector<double> feature_relevance(const DenseStates& states, const DiscreteActions& actions,
                                      const std::vector<double>& y, std::int64_t most);

}  // namespace starope
