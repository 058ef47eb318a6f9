#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "starope/io.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// The logs of a table of any format, which is read once, batch by batch.
OpenedLogs open_logs(TableReader& table, const ReadOptions& options, const OpenOptions& opening);

// Logs that were read at once.
OpenedLogs opened_in_memory(ReadResult whole, std::int64_t steps);

// About how large logs are, from what is known before they are read; as for memory_needed, which tells the bytes.
struct LogsSize {
  std::int64_t bytes = 0;          // of memory, with the ratio of every step
  std::int64_t steps = 0;          // 0: nobody knows
  std::int64_t state_numbers = 0;  // of a state with features
};
std::optional<LogsSize> size_of_logs(const std::string& path, const ReadOptions& options);

// As the memory_needed of a file: of a table in memory of this size whose first bytes are these.
std::optional<std::int64_t> memory_needed(std::string_view begin, std::int64_t size, const std::string& name,
                                          const ReadOptions& options);

}  // namespace starope::io
