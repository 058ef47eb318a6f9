#pragma once

#include <string>
#include <string_view>

#include "starope/text.hpp"

namespace starope {

enum class Emphasis { strong, warning, error, quiet };

// The text between escape sequences, or as it is where there is no color.
std::string paint(const TextStyle& style, Emphasis emphasis, std::string_view text);
std::string paint_begin(const TextStyle& style, Emphasis emphasis);
std::string paint_end(const TextStyle& style);

}  // namespace starope
