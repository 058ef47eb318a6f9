#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "starope/types.hpp"

namespace starope::cli {

// Texts of the command line as typed values. What cannot be meant is a UsageError that names the flag, the text and the
// rule.
Discount parse_discount(const std::string& flag, std::string_view text);
Horizon parse_horizon(const std::string& flag, std::string_view text);
Level parse_level(const std::string& flag, std::string_view text);
Threads parse_threads(const std::string& flag, std::string_view text);
Seed parse_seed(const std::string& flag, std::string_view text);
std::int64_t parse_count(const std::string& flag, std::string_view text);  // at least 1
std::int64_t parse_bytes(const std::string& flag, std::string_view text);  // "2GB", "500MB", "1.5G", "1000000"

// The index of `text` in `choices`.
std::size_t parse_choice(const std::string& flag, std::string_view text, const std::vector<std::string>& choices);

// "a,b,c" -> a, b, c. An empty name is a UsageError.
std::vector<std::string> parse_names(const std::string& flag, std::string_view text);

// Numbers with commas between them; one for which the rule does not hold is a UsageError.
std::vector<double> parse_numbers(const std::string& flag, std::string_view text, const std::string& rule,
                                  bool (*holds)(double));

}  // namespace starope::cli
