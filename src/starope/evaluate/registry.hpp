#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "starope/evaluate/spec.hpp"

namespace starope {

// Every estimator that has a name, in the order in which lists and pages show them. A new one is its type, its spec and
// a line here.
const std::vector<EstimatorSpec>& estimator_registry();

// The spec of this name; InvalidArgument with the nearest one where there is none.
const EstimatorSpec& find_estimator(std::string_view name);

// What a string such as "star(clusters=8)" names, without its options; null where the name is unknown, as in a file of
// another version.
const EstimatorSpec* named_estimator(std::string_view text);
// Its role; a baseline where the name is unknown.
EstimatorRole role_of(std::string_view text);

// For the documentation: every estimator and every option as Markdown tables.
std::string estimator_page();

}  // namespace starope
