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
#include "logs.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/inspection_source.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"

namespace starope::cli {
namespace {

struct InspectRequest {
  LogsRequest logs{};
  Discount discount{1.0};
  bool json = false;
  bool strict = false;
};

constexpr const char* inspect_description =
    "Show what is in a file of logged episodes, and what it can be used for.\n"
    "Columns, episodes, states, actions, rewards, probabilities, support, importance weights and the effective sample "
    "size by horizon, with advice.";

constexpr const char* inspect_footer =
    "Exit code: 0 shown, 1 wrong data or file (with --strict also logs with a\n"
    "warning), 2 wrong usage.\n"
    "\n"
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope inspect cartpole.csv";

Inspection inspect_file(const InspectRequest& request, Streams& streams) {
  Progress progress(streams);
  const Logs logs = load(request.logs, too_large(request.logs), progress);
  progress.show("looking at the weights");
  const InspectOptions options{.discount = request.discount,
                               .ends_logged = ends_are_logged(logs.summary),
                               .threads = request.logs.columns.threads};
  const auto* data = std::get_if<Dataset>(&logs.episodes);
  const auto what = [] { return std::string("looking at the weights"); };
  Inspection inspection = data != nullptr ? inspect(*data, options) : inspect(logs.watched(progress, what), options);
  describe_source(inspection, logs.summary, logs.findings);
  if (!request.logs.data.empty()) inspection.file = request.logs.data;
  return inspection;
}

int run(InspectRequest request, Streams& streams) {
  check_data(request.logs.data, request.logs.columns, "starope inspect");
  request.logs = with_policy(std::move(request.logs), "starope inspect");
  const Inspection inspection = inspect_file(request, streams);
  streams.out << (request.json ? to_json(inspection)
                               : printable(text(inspection, streams.out_terminal), streams.out_terminal));
  const auto bad = std::count_if(inspection.findings.begin(), inspection.findings.end(),
                                 [](const Finding& finding) { return finding.severity != Severity::info; });
  if (!request.strict || bad == 0) return answered;
  say(streams,
      fmt::format("{}: {} of the logs {} a warning or worse", inspection.file, counted(bad, "finding"),
                  bad == 1 ? "is" : "are"),
      Emphasis::warning);
  return wrong_data;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  const auto request = std::make_shared<InspectRequest>();
  // Whatever is missing is reported, not refused.
  io::ReadOptions& columns = request->logs.columns;
  columns.need_state = columns.need_behavior = columns.need_target = false;
  CLI::App* page = app.add_subcommand("inspect", inspect_description);
  page->footer(inspect_footer);
  page->add_option("DATA", request->logs.data,
                   "Logged episodes: CSV, TSV or a NumPy archive (.npz); - is standard input");
  page->add_option_function<std::string>(
          "--gamma", [request](const std::string& text) { request->discount = parse_discount("--gamma", text); },
          "Discount of the returns, from 0 to 1 (default 1)")
      ->type_name("G");
  page->add_option_function<std::string>(
          "--threads",
          [request](const std::string& text) { request->logs.columns.threads = parse_threads("--threads", text); },
          "Number of threads (default: one per core); results do not depend on it")
      ->type_name("N");
  page->add_flag("--json", request->json, "Print JSON (schema starope.inspect/1) instead of text");
  page->add_flag("--strict", request->strict,
                 "A check without an estimate, for scripts: exit code 1 where a finding is a warning or worse");
  add_target_flag(*page, request->logs);
  add_memory_flag(*page, request->logs);
  add_column_flags(*page, request->logs.columns);
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
