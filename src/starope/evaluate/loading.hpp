#pragma once

// Logs of any size: in memory where that holds them, else in blocks. For the program and for Python.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/finding.hpp"
#include "starope/io.hpp"

namespace starope {

std::string size_text(std::int64_t bytes);                      // "1.2 GB"
std::optional<std::int64_t> parse_size(std::string_view text);  // "2GB", "500MB", "1.5G", "1000000"; none: no size
constexpr const char* size_rule = "an amount of memory is a number with a unit, for example 2GB or 500MB";

// Something whose size nobody knows before it was read. ("-" is the standard input, which may be a file.)
bool is_pipe(const std::string& path);

struct LoadOptions {
  std::int64_t memory = io::half_the_memory();  // bytes that the logs may take
  bool models = false;                          // what is asked fits models, which take memory besides the logs
  std::function<void(const io::ReadProgress&)> progress{};  // where the logs come in blocks
};

struct LoadedLogs {
  std::variant<Dataset, Source> episodes;
  io::ReadSummary summary{};
  std::vector<Finding> findings{};
  std::int64_t needed = 0;  // bytes, where they come in blocks

  const Source* blocks() const { return std::get_if<Source>(&episodes); }
  Dataset first() const;  // some episodes, to see what columns there are
};

// How many bytes the logs need, if that is known before they are read and more than they may take.
std::optional<std::int64_t> too_large(const std::string& path, const io::ReadOptions& columns, std::int64_t memory);

// `too_large`: what it said. FileError before anything is read where logs that are too large cannot come in blocks.
LoadedLogs load_logs(const std::string& path, const io::ReadOptions& columns, std::optional<std::int64_t> too_large,
                     const LoadOptions& options = {});

// The same of a stream, whose size nobody knows.
LoadedLogs load_logs(ArrowArrayStream* stream, const std::string& name, const io::ReadOptions& columns,
                     const LoadOptions& options = {});

// What is said where all logs are needed and there are only blocks.
[[noreturn]] void fail_needs_all_logs(const std::string& name, std::int64_t needed, std::int64_t memory);

bool fits_a_model(const RequestedEstimator& requested);

// What an evaluation of large logs in blocks takes however little it may use: the program, what is read and computed at
// a time, DuckDB, and the samples that models are fitted to, whose sizes do not depend on the memory. None where the
// logs are small, or nobody knows how large they are.
std::optional<std::int64_t> least_memory(const std::string& path, const io::ReadOptions& columns,
                                         const std::vector<RequestedEstimator>& estimators);
// What is said of it, where no more than `memory` may be used: empty if that suffices.
std::string least_memory_text(const std::string& path, std::optional<std::int64_t> least, std::int64_t memory);

// Without those that need all logs in memory.
std::vector<RequestedEstimator> that_take_blocks(std::vector<RequestedEstimator> estimators);

// Estimators for logs that come in blocks: those that need all logs in memory have that for an answer.
struct BlockEstimators {
  std::vector<RequestedEstimator> estimators{};
  std::string left_out{};  // a sentence about those that cannot answer; empty: all can
};
// FileError if none is left: then nothing has to be read. `name` is what the logs are called.
BlockEstimators for_blocks(std::vector<RequestedEstimator> estimators, const std::string& name, std::int64_t needed,
                           std::int64_t memory);

// The value of a column in the first row of every episode of these logs. The file is read once more for that.
std::vector<std::string> values_by_episode(const std::string& path, const std::string& column,
                                           const io::ReadOptions& columns,
                                           const std::variant<Dataset, Source>& episodes);

}  // namespace starope
