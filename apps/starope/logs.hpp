#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli11_fwd.hpp"
#include "starope/data.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/loading.hpp"
#include "starope/io.hpp"
#include "starope/policy.hpp"
#include "terminal.hpp"

namespace starope::cli {

// Which logs a command is about, and how much memory they may take.
struct LogsRequest {
  std::string data{};
  io::ReadOptions columns{};
  std::optional<std::int64_t> memory{};  // bytes; none: half of what the machine has
  bool models = false;                   // what is asked fits models, which take memory besides the logs
  std::string target{};                  // the file of a target policy; empty: the logs have its probabilities
  std::optional<TargetPolicy> policy{};  // what it holds, once it was read

  std::int64_t limit() const { return memory.value_or(io::half_the_memory()); }
};

void add_memory_flag(CLI::App& page, LogsRequest& request);
void add_target_flag(CLI::App& page, LogsRequest& request);

// The request with its target policy, which is read before the logs: a slip there should not cost the time to read
// them. What they say about a target policy themselves is then not looked at.
LogsRequest with_policy(LogsRequest request, const char* command);

// In memory, or in blocks where memory does not hold them.
struct Logs : LoadedLogs {
  // The blocks; every pass over them shows what is done, how many rows it has seen, and the time it will take.
  Source watched(Progress& progress, std::function<std::string()> what) const;
};

// The same logs with what a policy says of their actions.
Logs with_target(Logs logs, const TargetPolicy& policy, Threads threads);

// How many bytes the logs need, if that is known before they are read and more than they may take.
std::optional<std::int64_t> too_large(const LogsRequest& request);

// `too_large`: what it said. FileError before anything is read where logs that are too large cannot come in blocks.
Logs load(const LogsRequest& request, std::optional<std::int64_t> too_large, Progress& progress);

// The estimators, those that need all logs in memory with that for an answer; it is said at once. FileError if none is
// left: then nothing has to be read.
std::vector<RequestedEstimator> for_blocks(std::vector<RequestedEstimator> estimators, std::int64_t needed,
                                           const LogsRequest& request, Streams& streams);

// Which group each episode is in, by a column of the file: --by. It is read once more for that.
Grouping groups_of(const LogsRequest& request, const Logs& logs, const std::string& by);

// "reading x.csv: 1,000,000 rows, 25 %, 30 s left", so many seconds after the beginning.
std::string progress_text(const std::string& what, const io::ReadProgress& at, double seconds);

}  // namespace starope::cli
