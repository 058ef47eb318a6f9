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

// The string that an estimator is parsed from; options that have their defaults are left out. Tables that no file has
// are called "given".
std::string text(const Estimator& estimator);

// For --help: every estimator with its options, in lines of at most `width` characters.
std::string estimator_help(std::size_t width);

// For the documentation: every estimator and every option as Markdown tables.
std::string estimator_page();

}  // namespace starope
