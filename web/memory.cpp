#include "memory.hpp"

#include <fmt/format.h>

#include "starope/base/work.hpp"

namespace starope::web {
namespace {

constexpr const char* remedy =
    "Use the program, which reads logs of any size (starope evaluate), or a file with fewer episodes or fewer columns";

}  // namespace

std::int64_t memory_for(std::int64_t size, std::optional<std::int64_t> values) {
  constexpr std::int64_t program = 64 << 20;
  // Of columns in memory estimators make about as much again: states by cell, weights, features.
  constexpr std::int64_t times = 4;
  return program + 2 * size + times * values.value_or(size);
}

std::string too_large(const std::string& name, std::int64_t size, std::int64_t needed) {
  return fmt::format("{} has {}: to evaluate it takes about {} of memory, and a page in a browser has {}. {}", name,
                     memory_text(static_cast<double>(size)), memory_text(static_cast<double>(needed)),
                     memory_text(static_cast<double>(most_memory)), remedy);
}

std::string out_of_memory() {
  return fmt::format("out of memory: the browser gives this page no more. {}.", remedy);
}

}  // namespace starope::web
