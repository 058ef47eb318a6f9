#pragma once

#include "starope/io.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// The logs of a table of any format, which is read once, batch by batch.
OpenedLogs open_logs(TableReader& table, const ReadOptions& options, const OpenOptions& opening);

// Logs that were read at once.
OpenedLogs opened_in_memory(ReadResult whole, std::int64_t steps);

}  // namespace starope::io
