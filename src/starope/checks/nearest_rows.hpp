#pragma once

#include <cstdint>
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
// each other. Rows whose action no other has are left out; of equally near ones the first is taken.
std::vector<NearestRow> nearest_rows(const Dataset& data, const DenseStates& states, const DiscreteActions& actions,
                                     std::int64_t most);

}  // namespace starope
