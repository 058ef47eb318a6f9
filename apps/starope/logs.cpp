#include "logs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "arguments.hpp"
#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/io/first_values.hpp"

namespace starope::cli {
namespace {

// What reading itself holds at a time, besides the blocks that are kept.
constexpr std::int64_t reading_bytes = 250'000'000;

constexpr const char* remedy =
    "Allow more with --memory, or ask for estimators that take blocks: naive, is, pdis, "
    "wis, wpdis, star, auto";

// Something whose size nobody knows before it was read.
bool is_pipe(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path == "-" ? "/dev/stdin" : path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace

Grouping groups_of(const LogsRequest& request, const Logs& logs, const std::string& by) {
  const std::string column = group_column(by);
  if (request.data == "-" || is_pipe(request.data))
    throw UsageError("--by reads the file once more, and a pipe can be read only once: give a file",
                     "starope evaluate");
  const std::vector<io::FirstValue> found = io::first_values(request.data, column, request.columns);
  std::map<std::string, std::string> by_name;
  for (const io::FirstValue& each : found) by_name.emplace(each.episode, each.value);
  std::vector<std::string> values;
  const auto add = [&](const Dataset& data) {
    for (std::int64_t i = 0; i < data.episodes(); ++i) {
      // Rows that had to be sorted begin episodes in another order, and then names tell.
      const std::size_t place = values.size();
      if (!request.columns.sort && place < found.size()) {
        values.push_back(found[place].value);
      } else {
        values.push_back(by_name[data.episode_name(i)]);
      }
    }
  };
  if (const auto* data = std::get_if<Dataset>(&logs.episodes)) {
    add(*data);
  } else {
    const Source::Next next = logs.blocks()->open();
    while (const auto block = next()) add(*block);
  }
  return make_grouping(by, values);
}

std::string size_text(std::int64_t bytes) {
  double size = static_cast<double>(bytes);
  std::string unit = "bytes";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (size < 1000.0) break;
    size /= 1000.0;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", size, size < 10.0 && unit != "bytes" ? 1 : 0, unit);
}

void add_memory_flag(CLI::App& page, LogsRequest& request) {
  page.add_option_function<std::string>(
          "--memory", [&request](const std::string& text) { request.memory = parse_bytes("--memory", text); },
          "Memory for the logs, such as 2GB (default: half of the machine's); larger logs are read in blocks")
      ->type_name("SIZE");
}

Dataset Logs::first() const {
  if (const auto* data = std::get_if<Dataset>(&episodes)) return *data;
  return *std::get<Source>(episodes).open()();
}

std::optional<std::int64_t> too_large(const LogsRequest& request) {
  const auto needed = io::memory_needed(request.data, request.columns);
  return needed && *needed > request.limit() ? needed : std::nullopt;
}

Logs load(const LogsRequest& request, std::optional<std::int64_t> too_large, Progress& progress) {
  progress.show(fmt::format("reading {}", request.data));
  const bool unknown = is_pipe(request.data) || (io::needs_duckdb(request.data, request.columns) &&
                                                 !io::memory_needed(request.data, request.columns));
  if (!too_large && !unknown) {
    io::ReadResult read = io::read(request.data, request.columns);
    return {.episodes = std::move(read.data), .summary = std::move(read.summary), .findings = std::move(read.findings)};
  }
  // Logs of unknown size that turn out to fit are put in one piece, which takes them twice.
  const std::int64_t limit = request.limit();
  io::OpenOptions opening{.memory = too_large ? std::max<std::int64_t>(limit - reading_bytes, 0) : limit / 2};
  opening.progress = [&](std::int64_t rows) { progress.show(fmt::format("reading {}: {} rows", request.data, rows)); };
  io::OpenedLogs opened = io::open(request.data, request.columns, opening);
  Logs logs{.episodes = opened.source,
            .summary = std::move(opened.summary),
            .findings = std::move(opened.findings),
            .needed = too_large.value_or(opened.bytes)};
  if (opened.in_memory && !too_large) logs.episodes = read_all(opened.source);
  return logs;
}

std::vector<RequestedEstimator> for_blocks(std::vector<RequestedEstimator> estimators, std::int64_t needed,
                                           const LogsRequest& request, Streams& streams) {
  const std::string why = fmt::format("the logs need about {} of memory, and {} may be used", size_text(needed),
                                      size_text(request.limit()));
  std::string left_out;
  std::size_t left = 0;
  for (RequestedEstimator& each : estimators) {
    const auto* estimator = std::get_if<Estimator>(&each.estimator);
    if (estimator == nullptr) continue;
    if (takes_blocks(*estimator)) {
      ++left;
      continue;
    }
    left_out += (left_out.empty() ? "" : ", ") + each.text;
    each.estimator =
        Failure{.code = "needs_memory", .message = fmt::format("needs all logs in memory: {}. {}", why, remedy)};
  }
  if (left_out.empty()) return estimators;
  const std::string message =
      fmt::format("{}: {} cannot answer without all logs in memory: {}. {}", request.data, left_out, why, remedy);
  if (left == 0) throw FileError(message);
  say(streams, message);
  return estimators;
}

}  // namespace starope::cli
