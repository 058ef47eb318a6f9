#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starope {

// "star(clusters=2|4,clip=1|2)" stands for four estimators; the first option varies slowest. A text without "|" stands
// for itself. Lists are split at commas outside parentheses, as everywhere. InvalidArgument for an empty alternative.
std::vector<std::string> expand_estimators(std::string_view list);

// What a grid has in common: the call without the options `clusters` and `clip`, and the values of those two.
struct GridPoint {
  std::string family{};  // "star", "star(phi=random)"
  std::string clusters{};
  std::string clip{};
};
// Of a `star` that has both options; the family of any other estimator is its own text, with neither.
GridPoint grid_point(std::string_view estimator);

}  // namespace starope
