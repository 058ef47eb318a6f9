#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/report.hpp"
#include "starope/report/evaluation_report.hpp"
#include "starope/report/study_report.hpp"
#include "starope/study.hpp"
#include "starope/study/results_file.hpp"

namespace starope::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* description =
    "Show a study or an evaluation as one HTML file with charts and tables.\n"
    "The file needs no network and no server: open it in a browser, or send it.";

constexpr const char* footer =
    "What 'starope evaluate --json --details' prints can be shown too; 'starope\n"
    "evaluate --report' does both at once.\n"
    "\n"
    "Example:\n"
    "  starope study smoke -o results\n"
    "  starope report results -o results.html";

struct ReportRequest {
  std::string source{};
  std::string output{};
};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(fmt::format("{}: there is no such file or folder, or it cannot be read", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string report_of(const std::string& source) {
  if (fs::is_directory(source)) {
    return study_report(summarize(read_results((fs::path(source) / "results.jsonl").string())));
  }
  if (fs::path(source).extension() == ".jsonl") return study_report(summarize(read_results(source)));
  return evaluation_report(evaluation_from_json(read_text(source), source));
}

int run(const ReportRequest& request, Streams& streams) {
  io::AtomicFile file(request.output);
  file.write(report_of(request.source));
  file.commit();
  say(streams, fmt::format("wrote {}", request.output));
  return answered;
}

}  // namespace

Command add_report(CLI::App& app) {
  const auto request = std::make_shared<ReportRequest>();
  CLI::App* page = app.add_subcommand("report", description);
  page->footer(footer);
  page->add_option("SOURCE", request->source, "Folder of a study, its results.jsonl, or what 'evaluate --json' printed")
      ->required();
  page->add_option("-o,--output", request->output, "HTML file to write")->type_name("FILE")->required();
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
