#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"

namespace starope::cli {
namespace {

struct InspectRequest {
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

Inspection inspect_file(const InspectRequest& request, Streams& streams) {
  Progress progress(streams);
  progress.show(fmt::format("reading {}", request.data));
  const io::ReadResult read = io::read(request.data, request.columns);
  progress.show("looking at the weights");
  std::vector<Inspection::Column> recognized;
  bool ends_logged = false;
  for (const io::UsedColumn& used : read.summary.used) {
    recognized.push_back({.name = used.name, .role = used.role});
    ends_logged = ends_logged || used.role == "terminated" || used.role == "truncated";
  }
  Inspection inspection = inspect(
      read.data, {.discount = request.discount, .ends_logged = ends_logged, .threads = request.columns.threads});
  inspection.file = request.data.empty() ? read.summary.file : request.data;
  inspection.recognized = std::move(recognized);
  inspection.ignored = read.summary.ignored;
  inspection.findings.insert(inspection.findings.end(), read.findings.begin(), read.findings.end());
  std::stable_sort(inspection.findings.begin(), inspection.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return inspection;
}

int run(const InspectRequest& request, Streams& streams) {
  check_data(request.data, request.columns, "starope inspect");
  const Inspection inspection = inspect_file(request, streams);
  streams.out << (request.json ? to_json(inspection) : printable(text(inspection, streams.out_terminal)));
  return answered;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  const auto request = std::make_shared<InspectRequest>();
  // Whatever is missing is reported, not refused.
  request->columns.need_state = request->columns.need_behavior = request->columns.need_target = false;
  CLI::App* page = app.add_subcommand("inspect", description);
  page->footer(footer);
  page->add_option("DATA", request->data, "Logged episodes: CSV, TSV or a NumPy archive (.npz); - is standard input");
  page->add_option_function<std::string>(
          "--gamma", [request](const std::string& text) { request->discount = parse_discount("--gamma", text); },
          "Discount of the returns, from 0 to 1 (default 1)")
      ->type_name("G");
  page->add_option_function<std::string>(
          "--threads",
          [request](const std::string& text) { request->columns.threads = parse_threads("--threads", text); },
          "Number of threads (default: one per core); results do not depend on it")
      ->type_name("N");
  page->add_flag("--json", request->json, "Print JSON (schema starope.inspect/1) instead of text");
  add_column_flags(*page, request->columns);
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
