#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "logs.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/write_source.hpp"

namespace starope::cli {
namespace {

constexpr const char* convert_command = "starope convert";

struct ConvertRequest {
  LogsRequest logs{};
  std::string output{};
};

constexpr const char* convert_description =
    "Write logged episodes as another kind of file, under the canonical names of columns.\n"
    "The endings of the names tell the kinds: .csv, .npz, and with DuckDB's library .parquet, .jsonl, .csv.gz, "
    ".csv.zst.";

constexpr const char* convert_footer =
    "Columns without a role are left out; numbers are kept to the last bit.\n"
    "\n"
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope convert cartpole.csv cartpole.npz";

// NumPy archives are written from memory: their arrays say how long they are before they begin.
void expect_blocks(const ConvertRequest& request, std::int64_t needed) {
  if (io::writes_blocks(request.output)) return;
  throw FileError(
      fmt::format("{}: this kind of file is written from memory: these logs need about {} of it, and {} may be used. "
                  "Allow more with "
                  "--memory, or write CSV or Parquet, which are written in blocks",
                  request.output, size_text(needed), size_text(request.logs.limit())));
}

struct Written {
  std::int64_t episodes = 0, steps = 0;
  bool numbered = false;  // ids that the file cannot hold
};

Written write_logs(const Logs& logs, const ConvertRequest& request, Progress& progress) {
  const io::WriteOptions options{.duckdb_library = request.logs.columns.duckdb_library};
  if (const auto* data = std::get_if<Dataset>(&logs.episodes)) {
    progress.show(fmt::format("writing {}", request.output));
    io::write(*data, request.output, options);
    const bool texts = std::holds_alternative<Column<std::string>>(data->episode_ids());
    return {.episodes = data->episodes(),
            .steps = data->steps(),
            .numbered = texts && !io::writes_blocks(request.output)};  // a NumPy archive
  }
  Written written;
  const Source watched = logs.watched(progress, [&] { return fmt::format("writing {}", request.output); });
  const Source counted([&]() -> Source::Next {
    written = {};
    return [&, next = watched.open()]() -> std::optional<Dataset> {
      auto block = next();
      if (block) written = {written.episodes + block->episodes(), written.steps + block->steps()};
      return block;
    };
  });
  io::write(counted, request.output, options);
  return written;
}

int run(ConvertRequest request, Streams& streams) {
  // A query names its files itself.
  if (request.output.empty() && !request.logs.columns.sql.empty()) std::swap(request.logs.data, request.output);
  if (request.output.empty())
    throw UsageError("IN or OUT is missing: which file holds the logs, and which is to be written?", convert_command);
  const Inputs inputs;
  if (!request.logs.data.empty()) inputs.add(request.logs.data);
  inputs.add_query(request.logs.columns.sql);
  inputs.expect_not(request.output, convert_command);
  const auto needed = too_large(request.logs);
  if (needed) expect_blocks(request, *needed);
  Progress progress(streams);
  const Logs logs = load(request.logs, needed, progress);
  if (logs.blocks() != nullptr) expect_blocks(request, logs.needed);
  const Written written = write_logs(logs, request, progress);
  progress.clear();
  std::string left_out;
  for (const std::string& name : logs.summary.ignored) left_out += (left_out.empty() ? "; left out: " : ", ") + name;
  if (written.numbered) left_out += "; episodes are numbered from 0: their ids are texts, which .npz does not hold";
  say(streams, fmt::format("wrote {}: {}, {}{}", request.output, counted(written.episodes, "episode"),
                           counted(written.steps, "step"), left_out));
  return answered;
}

}  // namespace

Command add_convert(CLI::App& app) {
  const auto request = std::make_shared<ConvertRequest>();
  request->logs.columns.need_state = false;
  request->logs.columns.need_behavior = false;
  request->logs.columns.need_target = false;
  CLI::App* page = app.add_subcommand("convert", convert_description);
  page->footer(convert_footer);
  page->add_option("IN", request->logs.data, "Logged episodes; may be left out where --sql has them");
  page->add_option("OUT", request->output, "File to write");
  add_memory_flag(*page, request->logs);
  add_column_flags(*page, request->logs.columns);
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
