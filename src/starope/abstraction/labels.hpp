#pragma once

#include <cstdint>
#include <vector>

namespace starope {

// The number of an abstract state ("cell"): 0 .. cells-1.
using Label = std::uint32_t;

// phi applied to every row of a data set's state table: computed once, shared by all clips, families and resamples.
struct Labels {
  std::int64_t cells = 0;
  std::vector<Label> of_row;  // one per state row: the steps, then the final states
};

}  // namespace starope
