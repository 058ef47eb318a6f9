#pragma once

#include <string>
#include <string_view>

#include "starope/study.hpp"

namespace starope {

// A grid with more than this is refused before it is written out.
inline constexpr std::int64_t most_estimators = 10'000;

// What a grid has in common: the call without the options `clusters` and `clip`, and the values of those two.
struct GridPoint {
  std::string family{};  // "star", "star(phi=random)"
  std::string clusters{};
  std::string clip{};
};
// Of an abstract reward process that has both options; the family of any other estimator is its own text, with neither.
GridPoint grid_point(std::string_view estimator);

}  // namespace starope
