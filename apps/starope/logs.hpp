#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli11_fwd.hpp"
#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/finding.hpp"
#include "starope/io.hpp"
#include "terminal.hpp"

namespace starope::cli {

// Which logs a command is about, and how much memory they may take.
struct LogsRequest {
  std::string data{};
  io::ReadOptions columns{};
  std::optional<std::int64_t> memory{};  // bytes; none: half of what the machine has

  std::int64_t limit() const { return memory.value_or(io::half_the_memory()); }
};

void add_memory_flag(CLI::App& page, LogsRequest& request);

// In memory, or in blocks where memory does not hold them.
struct Logs {
  std::variant<Dataset, Source> episodes;
  io::ReadSummary summary{};
  std::vector<Finding> findings{};
  std::int64_t needed = 0;  // bytes, where they come in blocks

  const Source* blocks() const { return std::get_if<Source>(&episodes); }
  Dataset first() const;  // some episodes, to see what columns there are
};

// How many bytes the logs need, if that is known before they are read and more than they may take.
std::optional<std::int64_t> too_large(const LogsRequest& request);

// `blocks`: what too_large said.
Logs load(const LogsRequest& request, std::optional<std::int64_t> too_large, Progress& progress);

// The estimators, those that need all logs in memory with that for an answer; it is said at once. FileError if none is
// left: then nothing has to be read.
std::vector<RequestedEstimator> for_blocks(std::vector<RequestedEstimator> estimators, std::int64_t needed,
                                           const LogsRequest& request, Streams& streams);

// Which group each episode is in, by a column of the file: --by. It is read once more for that.
Grouping groups_of(const LogsRequest& request, const Logs& logs, const std::string& by);

std::string size_text(std::int64_t bytes);  // "1.2 GB"

}  // namespace starope::cli
