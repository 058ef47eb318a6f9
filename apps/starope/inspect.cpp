#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "advice.hpp"
#include "arguments.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inspection.hpp"
#include "inspection_json.hpp"
#include "inspection_text.hpp"
#include "starope/io/read.hpp"

namespace starope::cli {
namespace {

struct InspectOptions {
  std::string data{};
  io::ReadOptions columns{};
  Discount discount{1.0};
  bool json = false;
};

constexpr const char* description =
    "Show what is in a file of logged episodes, and what it can be used for.\n"
    "Columns, episodes, states, actions, rewards, probabilities, support, importance weights and the effective sample "
    "size by horizon, with advice.";

constexpr const char* footer =
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope inspect cartpole.csv";

Inspection inspect(const InspectOptions& options, Streams& streams) {
  Progress progress(streams);
  progress.show(fmt::format("reading {}", options.data));
  const io::ReadResult read = io::read(options.data, options.columns);
  progress.show("looking at the weights");
  Inspection inspection = inspect_data(read.data, options.discount);
  inspection.file = options.data;
  inspection.ends_logged = false;
  for (const io::UsedColumn& used : read.summary.used) {
    inspection.recognised.push_back({.name = used.name, .role = used.role});
    if (used.role == "terminated" || used.role == "truncated") inspection.ends_logged = true;
  }
  inspection.ignored = read.summary.ignored;
  inspection.findings = advice(inspection);
  inspection.findings.insert(inspection.findings.end(), read.findings.begin(), read.findings.end());
  return inspection;
}

int run(const InspectOptions& options, Streams& streams) {
  const Inspection inspection = inspect(options, streams);
  streams.out << (options.json ? inspection_json(inspection) : inspection_text(inspection, streams.out_terminal));
  return answered;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  // Whatever is missing is reported, not refused.
  options->columns.need_state = options->columns.need_behavior = options->columns.need_target = false;
  CLI::App* page = app.add_subcommand("inspect", description);
  page->footer(footer);
  page->add_option("DATA", options->data, "Logged episodes: CSV, TSV or a NumPy archive (.npz); - is standard input")
      ->required();
  page->add_option_function<std::string>(
          "--gamma", [options](const std::string& text) { options->discount = parse_discount("--gamma", text); },
          "Discount of the returns, from 0 to 1 (default 1)")
      ->type_name("G");
  page->add_option_function<std::string>(
          "--threads",
          [options](const std::string& text) { options->columns.threads = parse_threads("--threads", text); },
          "Number of threads (default: one per core); results do not depend on it")
      ->type_name("N");
  page->add_flag("--json", options->json, "Print JSON (schema starope.inspect/1) instead of text");
  add_column_flags(*page, options->columns);
  return {.page = page, .run = [options](Streams& streams) { return run(*options, streams); }};
}

}  // namespace starope::cli
