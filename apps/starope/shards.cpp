#include "shards.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "starope/base/bytes.hpp"
#include "starope/error.hpp"
#include "starope/io/input_file.hpp"

namespace starope::cli {
namespace {

constexpr std::string_view statistics_ending = ".star";

}  // namespace

bool is_statistics(const std::string& path) {
  return path.size() > statistics_ending.size() &&
         std::string_view(path).substr(path.size() - statistics_ending.size()) == statistics_ending;
}

ShardStatistics read_statistics(const std::string& path) {
  const io::InputFile file(path);
  try {
    return ShardStatistics::from_bytes(std::as_bytes(std::span(file.bytes())));
  } catch (const DataError& error) {
    DataError::Problem problem = error.problem();
    problem.at.file = path;
    throw DataError(std::move(problem));
  }
}

void check_statistics_name(const std::string& path, const char* flag, const char* command) {
  if (is_statistics(path)) return;
  throw UsageError(fmt::format("{} {}: files of statistics have names that end in {}", flag, path, statistics_ending),
                   command);
}

std::string name_of_policy(const std::string& path) {
  if (path.empty()) return {};
  const io::InputFile file(path);
  return fmt::format("{:016x}", fingerprint_of(std::as_bytes(std::span(file.bytes()))).high);
}

}  // namespace starope::cli
