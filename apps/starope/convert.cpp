#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "logs.hpp"
#include "starope/base/text.hpp"
#include "starope/io.hpp"

namespace starope::cli {
namespace {

struct ConvertRequest {
  LogsRequest logs{};
  std::string output{};
};

constexpr const char* convert_description =
    "Write logged episodes as another kind of file, under the canonical names of columns.\n"
    "The endings of the names tell the kinds: .csv, .npz, and with DuckDB's library .parquet, .jsonl, .csv.gz, "
    ".csv.zst.";

constexpr const char* convert_footer =
    "Columns without a role are left out; numbers stay the same to the last bit.\n"
    "\n"
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope convert cartpole.csv cartpole.npz";

int run(const ConvertRequest& request, Streams& streams) {
  const Inputs inputs;
  inputs.add(request.logs.data);
  inputs.expect_not(request.output, "starope convert");
  if (const auto needed = too_large(request.logs)) fail_too_large(request.logs, *needed);
  Progress progress(streams);
  progress.show(fmt::format("reading {}", request.logs.data));
  const io::ReadResult read = io::read(request.logs.data, request.logs.columns);
  progress.show(fmt::format("writing {}", request.output));
  io::write(read.data, request.output, {.duckdb_library = request.logs.columns.duckdb_library});
  progress.clear();
  std::string left_out;
  for (const std::string& name : read.summary.ignored) left_out += (left_out.empty() ? "; left out: " : ", ") + name;
  say(streams, fmt::format("wrote {}: {}, {}{}", request.output, counted(read.data.episodes(), "episode"),
                           counted(read.data.steps(), "step"), left_out));
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
  page->add_option("IN", request->logs.data, "Logged episodes")->required();
  page->add_option("OUT", request->output, "File to write")->required();
  add_memory_flag(*page, request->logs);
  add_column_flags(*page, request->logs.columns);
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
