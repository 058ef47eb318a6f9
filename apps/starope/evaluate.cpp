#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "behavior_flag.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "logs.hpp"
#include "shards.hpp"
#include "starope/base/text.hpp"
#include "starope/behavior.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/interval.hpp"
#include "starope/io.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/problem.hpp"
#include "starope/report.hpp"
#include "starope/report/embedded.hpp"
#include "starope/report/evaluation_report.hpp"
#include "starope/risk.hpp"
#include "starope/shards.hpp"

namespace starope::cli {
namespace {

struct EvaluateRequest {
  LogsRequest logs{};
  std::vector<std::string> estimators{};
  ProblemOptions problem{};
  bool interval = true;
  std::string interval_method = "influence";
  BehaviorFlag behavior{};
  RiskQuestion risk{};
  Level level{0.95};
  Seed seed{0};
  Threads threads = Threads::all();
  bool json = false;
  bool explain = false;
  bool details = false;
  std::string by{};      // groups of episodes to answer for; empty: none
  std::string report{};  // file to write; empty: none
  std::string emit{};    // file of statistics to write; empty: none
  std::string like{};    // file of statistics whose recipe is used; empty: none
};

constexpr const char* evaluate_description =
    "Estimate what the target policy would have earned, from logs of another policy.\n"
    "DATA is a table with one row per step (CSV, TSV, NumPy archive; with DuckDB's library also Parquet, JSON lines, "
    "compressed text, databases); each row has the probabilities of the logged action under both policies, "
    "or --target has the target policy.";

std::string evaluate_footer() {
  return "Estimators:\n" + estimator_help(80) +
         "  all       everything that the logs have the columns for: mb to magic need\n"
         "            target_probs_*, mrdr also behavior_probs_*\n"
         "  Default: auto,naive,wis,wpdis (without states: naive,is,pdis,wis,wpdis).\n"
         "\n"
         "Intervals:\n" +
         interval_help() +
         "\n"
         "Exit code: 0 an estimator answered, 1 wrong data or file, 2 wrong usage.\n"
         "\n"
         "Example:\n"
         "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
         "  starope evaluate cartpole.csv\n"
         "  starope evaluate cartpole.csv --estimators \"naive,star(clusters=32,clip=2)\"\n"
         "  starope evaluate cartpole.csv --report cartpole.html\n"
         "  starope evaluate cartpole.csv --estimators naive,wpdis --emit part.star\n"
         "  starope evaluate part.star";
}

bool looks_inside(const EvaluateRequest& request) {
  return request.details || !request.report.empty();
}

std::vector<RequestedEstimator> requested(const std::vector<std::string>& lists, const EvaluateRequest& request) {
  try {
    Inputs inputs;
    inputs.add(request.logs.data);
    inputs.add_query(request.logs.columns.sql);
    if (!request.logs.target.empty()) inputs.add(request.logs.target);
    std::vector<RequestedEstimator> estimators =
        request_estimators(lists, noted(estimator_files(), inputs), request.seed);
    if (!request.like.empty()) inputs.add(request.like);
    for (const std::string& output : {request.report, request.emit}) {
      if (!output.empty()) inputs.expect_not(output, "starope evaluate");
    }
    return estimators;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), "starope evaluate");
  }
}

// None where the logged probabilities are used.
std::optional<BehaviorRecipe> behavior_of(const EvaluateRequest& request) {
  return request.behavior.recipe(request.seed, "starope evaluate");
}

// What is evaluated if nothing was asked for, or `all`: that depends on what the logs have.
std::vector<RequestedEstimator> chosen(const EvaluateRequest& request, const Logs& logs, Streams& streams) {
  const Dataset some = logs.first();
  if (!request.estimators.empty()) {
    const Problem problem = make_problem(
        behavior_of(request) ? with_behavior(some, estimate_behavior(some, {.method = BehaviorMethod::global})) : some,
        request.problem);
    return requested(expand_all(request.estimators, &problem), request);
  }
  std::vector<RequestedEstimator> usual = requested({default_estimators(some)}, request);
  if (logs.blocks() != nullptr) usual = that_take_blocks(std::move(usual));
  std::string names;
  for (const RequestedEstimator& each : usual) names += (names.empty() ? "" : ",") + each.text;
  say(streams, fmt::format("without --estimators these are evaluated: {}", names));
  return usual;
}

IntervalRecipe interval_of(const EvaluateRequest& request) {
  try {
    return parse_interval(request.interval_method, request.seed);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--interval {}: {}", request.interval_method, error.what()), "starope evaluate");
  }
}

Evaluation evaluate_file(const EvaluateRequest& request, Streams& streams) {
  // A slip in the estimators should not cost the time to read the data, nor should a file that is too large for them.
  std::vector<RequestedEstimator> estimators = requested(expand_all(request.estimators, nullptr), request);
  const bool left_open = request.estimators.empty() || asks_for_all(request.estimators);
  const auto needed = too_large(request.logs);
  if (needed && (behavior_of(request) || !request.risk.empty()))
    fail_needs_all_logs(request.logs.data, *needed, request.logs.limit());
  if (needed && !left_open) estimators = for_blocks(std::move(estimators), *needed, request.logs, streams);
  if (needed) {
    const auto asked = left_open ? requested({"auto"}, request) : estimators;
    const auto least = least_memory(request.logs.data, request.logs.columns, asked);
    if (const std::string said = least_memory_text(request.logs.data, least, request.logs.limit()); !said.empty())
      say(streams, said);
  }
  LogsRequest asked = request.logs;
  asked.models = left_open || std::any_of(estimators.begin(), estimators.end(), fits_a_model);
  Progress progress(streams);
  Logs logs = load(asked, needed, progress);
  progress.clear();
  if (left_open) estimators = chosen(request, logs, streams);
  if (logs.blocks() != nullptr && (left_open || !needed))
    estimators = for_blocks(std::move(estimators), logs.needed, request.logs, streams);
  std::string doing = "looking at the logs";
  std::optional<Source> watched;
  if (logs.blocks() != nullptr) watched = logs.watched(progress, [&] { return doing; });
  EvaluateOptions options{.level = std::nullopt,
                          .details = looks_inside(request),
                          .threads = request.threads,
                          .file = request.logs.data.empty() ? logs.summary.file : request.logs.data,
                          .findings = std::move(logs.findings),
                          .progress = [&](const EvaluateProgress& at) {
                            doing = fmt::format("[{}/{}] {}", at.number, at.total, at.estimator);
                            progress.show(doing);
                          }};
  if (request.interval) options.level = request.level;
  options.interval = interval_of(request);
  options.risk = request.risk;
  if (!request.by.empty()) options.groups = groups_of(request.logs, logs, request.by);
  return evaluate_logs(request.logs, logs, watched, behavior_of(request), request.problem, estimators, options);
}

// Counts the logs for estimators that can be finished later, with other parts.
ShardStatistics count_file(const EvaluateRequest& request, Streams& streams) {
  std::optional<ShardStatistics> like;
  if (!request.like.empty()) like = read_statistics(request.like);
  std::vector<RequestedEstimator> estimators = requested(request.estimators, request);
  Progress progress(streams);
  LogsRequest asked = request.logs;
  asked.models = estimators.empty() || std::any_of(estimators.begin(), estimators.end(), fits_a_model);
  const Logs logs = load(asked, too_large(asked), progress);
  progress.show("counting");
  const auto* data = std::get_if<Dataset>(&logs.episodes);
  const Source source =
      data != nullptr ? dataset_source(*data) : logs.watched(progress, [] { return std::string("counting"); });
  const CountOptions options{
      .target = name_of_policy(request.logs.target), .findings = logs.findings, .threads = request.threads};
  if (like) return count(source, *like, options);
  if (estimators.empty()) estimators = requested({default_estimators(logs.first())}, request);
  std::vector<NamedEstimator> named;
  for (RequestedEstimator& each : estimators) {
    if (const auto* failure = std::get_if<Failure>(&each.estimator)) throw FileError(failure->message);
    named.push_back({each.text, std::move(std::get<Estimator>(each.estimator))});
  }
  return count(source, request.problem, named, options);
}

void check_emit(const EvaluateRequest& request) {
  constexpr const char* command = "starope evaluate";
  if (!request.emit.empty()) check_statistics_name(request.emit, "--emit", command);
  if (!request.like.empty()) check_statistics_name(request.like, "--like", command);
  if (!request.like.empty() && request.emit.empty()) throw UsageError("--like is for --emit", command);
  const bool asked = !request.estimators.empty() || request.problem != ProblemOptions{};
  if (!request.like.empty() && asked)
    throw UsageError("--like takes estimators, discount and horizon from its file: leave the other flags out", command);
  if (is_statistics(request.logs.data) && (asked || !request.emit.empty() || looks_inside(request)))
    throw UsageError("statistics know their estimators and their question: only --level and --json go with them",
                     command);
  if (!request.emit.empty() && looks_inside(request))
    throw UsageError("--emit goes with neither --report nor --details", command);
  if (request.emit.empty() && !is_statistics(request.logs.data)) return;
  const std::string usual = EvaluateRequest{}.interval_method;
  for (const auto& [flag, given] :
       {std::pair{"--by", !request.by.empty()}, std::pair{"--behavior", behavior_of(request).has_value()},
        std::pair{"--quantiles, --cvar and --below", !request.risk.empty()},
        std::pair{"--interval", request.interval && request.interval_method != usual}}) {
    if (!given) continue;
    throw UsageError(fmt::format("statistics (FILE.star) are sums over episodes with the intervals of those sums: {} "
                                 "{} all logs at once",
                                 flag, std::string_view(flag).find(' ') == std::string_view::npos ? "needs" : "need"),
                     command);
  }
  if (is_statistics(request.logs.data) && !request.logs.target.empty())
    throw UsageError("statistics know their target policy: leave --target out", command);
}

// An evaluation of statistics: of the file, or of what was just counted.
Evaluation evaluate_statistics(const EvaluateRequest& request, Streams& streams) {
  const bool finished = is_statistics(request.logs.data);
  std::optional<io::AtomicFile> file;
  if (!finished) file.emplace(request.emit);
  const ShardStatistics statistics = finished ? read_statistics(request.logs.data) : count_file(request, streams);
  if (file) {
    const Bytes bytes = statistics.to_bytes();
    file->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file->commit();
    say(streams, fmt::format("wrote {}: {}, {}", request.emit, counted(statistics.episodes(), "episode"),
                             counted(statistics.steps(), "step")));
  }
  Evaluation evaluation = finish(statistics, request.interval ? std::optional(request.level) : std::nullopt);
  evaluation.data.file = request.logs.data;
  return evaluation;
}

int run(EvaluateRequest request, Streams& streams) {
  check_data(request.logs.data, request.logs.columns, "starope evaluate");
  interval_of(request);  // a slip should not cost the time to read the data
  request.logs = with_policy(std::move(request.logs), "starope evaluate");
  behavior_of(request);
  // Before the work: a folder or a chart runtime that is not there should not cost the time to evaluate.
  std::optional<io::AtomicFile> page;
  if (!request.report.empty()) chart_runtime();
  if (!request.report.empty()) page.emplace(request.report);
  check_emit(request);
  Evaluation evaluation = is_statistics(request.logs.data) || !request.emit.empty()
                              ? evaluate_statistics(request, streams)
                              : evaluate_file(request, streams);
  if (page) {
    page->write(evaluation_report(evaluation));
    page->commit();
    say(streams, fmt::format("wrote {}", request.report));
  }
  if (!request.details) {
    evaluation.ess_by_step.clear();
    evaluation.processes.clear();
  }
  streams.out << (request.json ? to_json(evaluation)
                               : printable(text(evaluation, streams.out_terminal), streams.out_terminal));
  if (request.explain && !request.json)
    streams.out << printable(explanation(evaluation, streams.out_terminal), streams.out_terminal);
  if (any_answered(evaluation)) return answered;
  say(streams, "no estimator could answer");
  return wrong_data;
}

}  // namespace

Command add_evaluate(CLI::App& app) {
  const auto options = std::make_shared<EvaluateRequest>();
  options->logs.columns.need_state = false;  // the estimators that need states say so themselves
  CLI::App* page = app.add_subcommand("evaluate", evaluate_description);
  page->footer(evaluate_footer());
  const auto text_option = [&](const char* flag, const char* type, const char* explanation, auto set) {
    page->add_option_function<std::string>(
            flag, [options, set](const std::string& text) { set(*options, text); }, explanation)
        ->type_name(type);
  };
  page->add_option("DATA", options->logs.data,
                   "Logged episodes: CSV, TSV or a NumPy archive (.npz); - is standard input");
  page->add_option("--estimators", options->estimators, "Estimators, with commas between them; may be repeated")
      ->type_name("LIST")
      ->allow_extra_args(false);
  text_option("--gamma", "G", "Discount from 0 to 1 (default 1)", [](EvaluateRequest& o, const std::string& text) {
    o.problem.discount = parse_discount("--gamma", text);
  });
  text_option(
      "--horizon", "H", "Only the first H steps of an episode count (default: all)",
      [](EvaluateRequest& o, const std::string& text) { o.problem.horizon = parse_horizon("--horizon", text); });
  text_option("--interval", "METHOD", "Confidence interval: a method below (default influence), or none",
              [](EvaluateRequest& o, const std::string& text) {
                o.interval = text != "none";
                o.interval_method = o.interval ? text : "influence";
              });
  add_behavior_flag(*page, options->behavior, options->logs.columns);
  const auto risk_option = [&](const char* flag, const char* explanation, std::vector<double> RiskQuestion::*into,
                               const char* rule, bool (*holds)(double)) {
    text_option(flag, "X,X,...", explanation, [=](EvaluateRequest& o, const std::string& text) {
      o.risk.*into = parse_numbers(flag, text, rule, holds);
    });
  };
  risk_option("--quantiles", "Quantiles of what single episodes return, such as 0.05,0.5", &RiskQuestion::quantiles,
              "a quantile is a probability between 0 and 1", [](double x) { return x > 0.0 && x < 1.0; });
  risk_option("--cvar", "Mean return of the worst episodes that make up this share, such as 0.1", &RiskQuestion::cvar,
              "a share is above 0 and at most 1", [](double x) { return x > 0.0 && x <= 1.0; });
  risk_option("--below", "Probability that an episode returns less than X", &RiskQuestion::below,
              "a return is a finite number", [](double x) { return x - x == 0.0; });
  text_option("--level", "L", "Confidence level (default 0.95)",
              [](EvaluateRequest& o, const std::string& text) { o.level = parse_level("--level", text); });
  text_option("--seed", "N", "Seed of estimators that draw random numbers and have no seed of their own (default 0)",
              [](EvaluateRequest& o, const std::string& text) { o.seed = parse_seed("--seed", text); });
  text_option("--threads", "N", "Number of threads (default: one per core); results do not depend on it",
              [](EvaluateRequest& o, const std::string& text) {
                o.threads = parse_threads("--threads", text);
                o.logs.columns.threads = o.threads;
              });
  page->add_option("--by", options->by,
                   "Also answer for groups of episodes, by a column of their first row (its values, or "
                   "quartiles of numbers), or by a comparison such as 'age<65'")
      ->type_name("COLUMN");
  page->add_flag("--json", options->json, "Print JSON (schema starope.evaluate/1) instead of a table");
  page->add_flag("--explain", options->explain,
                 "Also print how estimators came to their answers (JSON always has that)");
  page->add_flag("--details", options->details,
                 "With --json: also effective sample sizes by step, and the processes behind each star");
  page->add_option("--report", options->report, "Also write a report to look at: one HTML file")->type_name("FILE");
  page->add_option("--emit", options->emit,
                   "Also write the statistics of these logs, to be merged with those of other parts (FILE.star)")
      ->type_name("FILE");
  page->add_option("--like", options->like, "With --emit: use the estimators, question and cells of this other part")
      ->type_name("FILE");
  add_target_flag(*page, options->logs);
  add_memory_flag(*page, options->logs);
  add_column_flags(*page, options->logs.columns);
  return {.page = page, .run = [options](Streams& streams) { return run(*options, streams); }};
}

}  // namespace starope::cli
