#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "starope/base/text.hpp"
#include "starope/io.hpp"

namespace starope::cli {
namespace {

struct ConvertRequest {
  std::string data{};
  std::string output{};
  io::ReadOptions columns{};
};

constexpr const char* description =
    "Write logged episodes as another kind of file, under the canonical names of columns.\n"
    "The endings of the names tell the kinds: .csv, .npz, and with DuckDB's library .parquet, .jsonl, .csv.gz, "
    ".csv.zst.";

constexpr const char* footer =
    "Columns without a role are left out; numbers stay the same to the last bit.\n"
    "\n"
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope convert cartpole.csv cartpole.npz";

int run(const ConvertRequest& request, Streams& streams) {
  const Inputs inputs;
  inputs.add(request.data);
  inputs.expect_not(request.output, "starope convert");
  Progress progress(streams);
  progress.show(fmt::format("reading {}", request.data));
  const io::ReadResult read = io::read(request.data, request.columns);
  progress.show(fmt::format("writing {}", request.output));
  io::write(read.data, request.output, {.duckdb_library = request.columns.duckdb_library});
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
  request->columns.need_state = false;
  request->columns.need_behavior = false;
  request->columns.need_target = false;
  CLI::App* page = app.add_subcommand("convert", description);
  page->footer(footer);
  page->add_option("IN", request->data, "Logged episodes")->required();
  page->add_option("OUT", request->output, "File to write")->required();
  add_column_flags(*page, request->columns);
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
