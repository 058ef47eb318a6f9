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

// As the memory_needed of a file: of a table in memory of this size whose first bytes are these.
std::optional<std::int64_t> memory_needed(std::string_view begin, std::int64_t size, const std::string& name,
                                          const ReadOptions& options);

}  // namespace starope::io
