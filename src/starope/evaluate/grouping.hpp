#pragma once

#include <span>
#include <string>
#include <string_view>

#include "starope/evaluate.hpp"

namespace starope {

// "age<65", "sex", "ward != 3": the column that a --by is about, and the comparison, where it has one.
struct GroupRule {
  std::string column{};
  std::string comparison{};  // "<", "<=", ">", ">=", "=", "!="; empty: none
  std::string value{};
};
GroupRule parse_group_rule(std::string_view text);  // InvalidArgument where it is neither

}  // namespace starope
