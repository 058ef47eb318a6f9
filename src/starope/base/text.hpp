#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starope {

// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text) noexcept;

// The number of single-character insertions, deletions, replacements and neighbor swaps that turn one into the other.
int edit_distance(std::string_view a, std::string_view b);

// The known name that `given` was most likely meant to be, or nothing if none is near.
std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> known);

// "unknown WHAT 'given'; did you mean 'near'? Known: a, b, c"
std::string unknown_name(std::string_view what, std::string_view given, std::span<const std::string> known);

// 1234567 -> "1,234,567"
std::string with_thousands(std::int64_t number);

// "1 episode", "2,000 episodes"
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace starope
