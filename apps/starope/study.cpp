#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/study.hpp"
#include "starope/study/estimator_grid.hpp"
#include "study_progress.hpp"
#include "study_text.hpp"

namespace starope::cli {
namespace {

constexpr int interrupted = 130;  // 128 + SIGINT, as shells count

struct StudyRequest {
  std::string study{};
  std::string folder{};
  std::string dynamics{};
  std::vector<std::string> estimators{};
  std::optional<std::int64_t> trials{};
  std::optional<Seed> seed{};
  Shard shard{};
  bool resume = false;
  bool json = false;
  bool neural = false;
  Threads threads = Threads::all();
};

constexpr const char* study_description =
    "Compare estimators where the truth is known: domains x sizes x trials x estimators.\n"
    "Results go to DIR/results.jsonl, a line each; what is finished is kept if the study stops, and --resume "
    "continues. Standard output shows the summary.";

constexpr const char* study_footer =
    "Studies:\n"
    "  paper                   CartPole, ICU-Sepsis and Asterix as in the paper;\n"
    "                          needs --dynamics FILE\n"
    "  paper-cartpole, paper-icu-sepsis, paper-asterix\n"
    "                          one of them (ICU-Sepsis also as the published code\n"
    "                          simulates it)\n"
    "  smoke                   every part of a study in seconds\n"
    "  SPEC.toml               your own: see docs/studies.md\n"
    "\n"
    "Ctrl-C stops the study after the cells that are running. Exit code: 0 done,\n"
    "1 wrong data or file, 2 wrong usage, 130 interrupted.\n"
    "\n"
    "Example:\n"
    "  starope study smoke -o smoke\n"
    "  starope report smoke -o smoke.html\n"
    "  starope study smoke --shard 1/4 -o quarter";

StudySpec spec_of(const StudyRequest& request) {
  const bool is_file = request.study.size() > 5 && request.study.substr(request.study.size() - 5) == ".toml";
  const bool has_parts =
      request.study == "paper" || request.study == "paper-cartpole" || request.study == "paper-asterix";
  if (request.neural && (!has_parts || !request.estimators.empty())) {
    throw UsageError(
        "--with neural adds estimators to the studies paper, paper-cartpole and paper-asterix; elsewhere, and with "
        "--estimators, name them: fqe, mb(model=mlp), dr(q=fqe), ...",
        "starope study");
  }
  StudySpec spec = is_file ? read_study_toml(request.study)
                           : builtin_study(request.study, {.dynamics = request.dynamics, .neural = request.neural});
  if (request.seed) spec.seed = *request.seed;
  std::vector<std::string> estimators;
  for (const std::string& list : request.estimators) {
    for (std::string& text : expand_estimators(list)) estimators.push_back(std::move(text));
  }
  for (StudyDomain& domain : spec.domains) {
    if (request.trials) domain.trials = *request.trials;
    if (!estimators.empty()) domain.estimators = estimators;
    const bool needs_tables = domain.domain.rfind("icu-sepsis", 0) == 0;
    if (is_file && needs_tables && !request.dynamics.empty()) domain.file = request.dynamics;
  }
  return spec;
}

int run(const StudyRequest& request, Streams& streams) {
  const StudySpec spec = spec_of(request);
  const Interrupt interrupt;
  StudyProgressShower shower(streams);
  const StudyProgress end = run_study(spec, {.folder = request.folder,
                                             .shard = request.shard,
                                             .resume = request.resume,
                                             .threads = request.threads,
                                             .files = estimator_files(),
                                             .progress = [&](const StudyProgress& progress) { shower.show(progress); },
                                             .stop = [] { return Interrupt::requested(); }});
  shower.clear();
  const std::string results = (std::filesystem::path(request.folder) / "results.jsonl").string();
  say(streams, fmt::format("{} of {} cells are in {} ({} for this run)", with_thousands(end.done),
                           with_thousands(end.total), results, duration_text(end.seconds)));
  if (end.done < end.total) {
    say(streams, "interrupted; the same command with --resume goes on", Emphasis::warning);
    return interrupted;
  }
  const StudySummary summary = summarize(read_results(results));
  streams.out << (request.json ? summary_json(summary)
                               : printable(study_text(summary, streams.out_terminal), streams.out_terminal));
  if (summary.failures < summary.results) return answered;
  say(streams, fmt::format("all {} are errors; {} has their messages", counted(summary.results, "result"), results),
      Emphasis::error);
  return wrong_data;
}

}  // namespace

Command add_study(CLI::App& app) {
  const auto request = std::make_shared<StudyRequest>();
  CLI::App* page = app.add_subcommand("study", study_description);
  page->footer(study_footer);
  const auto text_option = [&](const char* flag, const char* type, const char* explanation, auto set) {
    page->add_option_function<std::string>(
            flag, [request, set](const std::string& text) { set(*request, text); }, explanation)
        ->type_name(type);
  };
  page->add_option("STUDY", request->study, "Name of a study, or a TOML file")->required();
  page->add_option("-o,--output", request->folder, "Folder for the results")->type_name("DIR")->required();
  page->add_flag("--resume", request->resume, "Continue the study that is in DIR (or start it)");
  text_option("--shard", "I/N", "Only part I of N; every part needs a folder, 'starope merge' joins them",
              [](StudyRequest& r, const std::string& text) { r.shard = Shard::parse(text); });
  text_option("--trials", "N", "Trials per case instead of the study's own",
              [](StudyRequest& r, const std::string& text) { r.trials = parse_count("--trials", text); });
  page->add_option("--estimators", request->estimators,
                   "Instead of the study's own; may be repeated. star(clusters=8|32,clip=1|2) is four")
      ->type_name("LIST")
      ->allow_extra_args(false);
  page->add_option("--dynamics", request->dynamics, "Tables of ICU-Sepsis (.npz), for studies that simulate it")
      ->type_name("FILE");
  text_option(
      "--with", "PART",
      "Add a part to paper, paper-cartpole or paper-asterix: neural, the estimators that train networks",
      [](StudyRequest& r, const std::string& text) { r.neural = parse_choice("--with", text, {"neural"}) == 0; });
  text_option("--seed", "N", "Seed of the study (default: its own)",
              [](StudyRequest& r, const std::string& text) { r.seed = parse_seed("--seed", text); });
  text_option("--threads", "N", "Data sets at the same time (default: one per core); results do not depend on it",
              [](StudyRequest& r, const std::string& text) { r.threads = parse_threads("--threads", text); });
  page->add_flag("--json", request->json, "Print the summary as JSON (schema starope.study-summary/1)");
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
