#pragma once

#include <string>

#include "starope/shards.hpp"

namespace starope::cli {

// Whether a file holds statistics of logs instead of logs, by its name: .star.
bool is_statistics(const std::string& path);

ShardStatistics read_statistics(const std::string& path);  // FileError, or DataError with the name of the file
// To a file that appears whole or not at all. UsageError for a name that does not end in .star.
void check_statistics_name(const std::string& path, const char* flag, const char* command);

// What a target policy that is a file is called in statistics: by its content, not its name.
std::string name_of_policy(const std::string& path);

}  // namespace starope::cli
