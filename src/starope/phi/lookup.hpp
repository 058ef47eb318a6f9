#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct LookupTable {  // given map of discrete state ids to abstract states
  std::vector<std::int64_t> state{};
  std::vector<std::int64_t> z{};  // any integers >= 0
  std::string source{};
  friend bool operator==(const LookupTable&, const LookupTable&) = default;
};

// There are max z + 1 cells. DataError if a logged state is not in the table, if a z is negative, or if the table gives
// one state two different z.
FittedAbstraction fit_lookup(const LookupTable& table, const Problem& problem);

}  // namespace starope
