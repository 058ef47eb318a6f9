#include "starope/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

std::string describe(const DataLocation& at) {
  std::string text = at.file;
  const auto append = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (at.row) append(fmt::format("row {}", *at.row));
  if (!at.episode.empty()) append(fmt::format("episode {}", at.episode));
  if (at.step) append(fmt::format("step {}", *at.step));
  if (!at.column.empty()) append(fmt::format("column '{}'", at.column));
  return text;
}

// Long values (a pasted paragraph, a binary file) would bury the message.
std::string shorten(const std::string& value) {
  constexpr std::size_t longest = 60;
  std::string shown;
  for (const char c : value.substr(0, longest)) shown += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return value.size() > longest ? shown + "..." : shown;
}

std::string describe(const DataError::Problem& problem) {
  std::string text = describe(problem.at);
  if (!text.empty()) text += ": ";
  if (problem.value) text += fmt::format("'{}' ", shorten(*problem.value));
  text += problem.rule;
  if (!problem.remedy.empty()) text += ". " + problem.remedy;
  return text;
}

// The others without what the first has said already: the file, and a remedy that is the same.
std::string describe(const DataError::Problem& first, const std::vector<DataError::Problem>& others,
                     std::int64_t more) {
  std::string text = describe(first);
  for (DataError::Problem other : others) {
    if (other.at.file == first.at.file) other.at.file.clear();
    if (other.code == first.code) other.remedy.clear();
    text += "\n  " + describe(other);
  }
  if (more > 0) text += fmt::format("\n  and {} more {}", more, more == 1 ? "row" : "rows");
  return text;
}

}  // namespace

DataError::DataError(Problem problem) : Error(problem.code, describe(problem)), problem_(std::move(problem)) {}

DataError::DataError(Problem first, std::vector<Problem> others, std::int64_t more)
    : Error(first.code, describe(first, others, more)),
      problem_(std::move(first)),
      others_(std::move(others)),
      more_(more) {}

namespace detail {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: starope internal error: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace detail
}  // namespace starope
