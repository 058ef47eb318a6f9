#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace starope {

// Keys stay in the order they were written in, so that equal charts are equal files.
using Json = nlohmann::ordered_json;

// What every chart begins with: a Vega-Lite specification as wide as the page, described for who cannot see it.
Json base_spec(const std::string& description);

// (field, title): what shows when a mark is pointed at.
Json tooltip(std::initializer_list<std::pair<const char*, const char*>> fields);

// One line. Bytes that are no UTF-8 (a column name may hold any) become the replacement character.
std::string dump(const Json& json);

}  // namespace starope
