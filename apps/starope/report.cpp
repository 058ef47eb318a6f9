#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "starope/compare.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/text_file.hpp"
#include "starope/report.hpp"
#include "starope/report/evaluation_report.hpp"
#include "starope/study.hpp"
#include "starope/study/results_file.hpp"
#include "starope/study_report/study_report.hpp"

namespace starope::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_description =
    "Show a study, an evaluation or a comparison as one HTML file with charts and tables.\n"
    "The file needs no network and no server: open it in a browser, or send it.";

constexpr const char* report_footer =
    "What 'starope evaluate --json --details' and 'starope compare --json' print can\n"
    "be shown too; 'starope evaluate --report' does both at once.\n"
    "\n"
    "Example:\n"
    "  starope study smoke -o results\n"
    "  starope report results -o results.html";

struct ReportRequest {
  std::string source{};
  std::string output{};
};

std::string report_of_study(const std::string& results) {
  const StudySummary summary = summarize(read_results(results));
  if (summary.results == 0) {
    throw FileError(fmt::format("{}: has no results yet, so there is nothing to show. Run the study first", results));
  }
  return study_report(summary);
}

bool is_comparison(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && member_or_null(json, "schema") == "starope.compare/1";
}

std::string report_of(const std::string& source) {
  std::error_code unknown;  // reading says why
  if (fs::is_directory(source, unknown)) {
    return report_of_study((fs::path(source) / "results.jsonl").string());
  }
  if (fs::path(source).extension() == ".jsonl") return report_of_study(source);
  const std::string text = io::read_text(source);
  if (is_comparison(text)) return comparison_report(comparison_from_json(text, source));
  return evaluation_report(evaluation_from_json(text, source));
}

Inputs inputs_of(const std::string& source) {
  Inputs inputs;
  inputs.add(source);
  for (const char* name : {"results.jsonl", "study.json"}) inputs.add((fs::path(source) / name).string());
  return inputs;
}

int run(const ReportRequest& request, Streams& streams) {
  inputs_of(request.source).expect_not(request.output, "starope report");
  io::AtomicFile file(request.output);
  file.write(report_of(request.source));
  file.commit();
  say(streams, fmt::format("wrote {}", request.output));
  return answered;
}

}  // namespace

Command add_report(CLI::App& app) {
  const auto request = std::make_shared<ReportRequest>();
  CLI::App* page = app.add_subcommand("report", report_description);
  page->footer(report_footer);
  page->add_option("SOURCE", request->source,
                   "Folder of a study, its results.jsonl, or what 'evaluate --json' or 'compare --json' printed")
      ->required();
  page->add_option("-o,--output", request->output, "HTML file to write")->type_name("FILE")->required();
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
