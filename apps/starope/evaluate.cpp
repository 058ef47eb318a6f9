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
#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "logs.hpp"
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

namespace starope::cli {
namespace {

struct EvaluateRequest {
  LogsRequest logs{};
  std::vector<std::string> estimators{};
  ProblemOptions problem{};
  bool interval = true;
  std::string interval_method = "influence";
  std::string behavior = "logged";  // or how it is estimated
  RiskQuestion risk{};
  Level level{0.95};
  Seed seed{0};
  Threads threads = Threads::all();
  bool json = false;
  bool explain = false;
  bool details = false;
  std::string by{};      // groups of episodes to answer for; empty: none
  std::string report{};  // file to write; empty: none
};

constexpr const char* description =
    "Estimate what the target policy would have earned, from logs of another policy.\n"
    "DATA is a table with one row per step (CSV, TSV, NumPy archive; with DuckDB's library also Parquet, JSON lines, "
    "compressed text, databases); each row has the probabilities of the logged action under both policies.";

std::string footer() {
  return "Estimators:\n" + estimator_help(80) +
         "  all       everything that the logs have the columns for: mb to magic need\n"
         "            target_probs_*, mrdr behavior_probs_*\n"
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
         "  starope evaluate cartpole.csv --report cartpole.html";
}

bool looks_inside(const EvaluateRequest& request) {
  return request.details || !request.report.empty();
}

std::vector<RequestedEstimator> requested(const std::vector<std::string>& lists, const EvaluateRequest& request) {
  try {
    Inputs inputs;
    inputs.add(request.logs.data);
    std::vector<RequestedEstimator> estimators =
        request_estimators(lists, noted(estimator_files(), inputs), request.seed);
    if (!request.report.empty()) inputs.expect_not(request.report, "starope evaluate");
    return estimators;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), "starope evaluate");
  }
}

// None where the logged probabilities are used.
std::optional<BehaviorRecipe> behavior_of(const EvaluateRequest& request) {
  if (request.behavior == "logged") return std::nullopt;
  try {
    return parse_behavior(request.behavior, request.seed);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--behavior {}: {}", request.behavior, error.what()), "starope evaluate");
  }
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
  std::vector<RequestedEstimator> usual = requested({default_estimators(some)}, request), usable;
  std::string names;
  for (RequestedEstimator& each : usual) {
    const auto* estimator = std::get_if<Estimator>(&each.estimator);
    if (logs.blocks() != nullptr && estimator != nullptr && !takes_blocks(*estimator)) continue;
    names += (names.empty() ? "" : ",") + each.text;
    usable.push_back(std::move(each));
  }
  say(streams, fmt::format("without --estimators these are evaluated: {}", names));
  return usable;
}

IntervalRecipe interval_of(const EvaluateRequest& request) {
  try {
    return parse_interval(request.interval_method, request.seed);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--interval {}: {}", request.interval_method, error.what()), "starope evaluate");
  }
}

// Nothing about the behavior policy is read, and actions must be there.
void ignore_logged_behavior(io::ReadOptions& columns) {
  columns.need_behavior = false;
  columns.need_action = true;
  columns.behavior_prob = columns.behavior_logp = columns.behavior_probs = "";
}

Evaluation evaluate_logs(const EvaluateRequest& request, const Logs& logs,
                         const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options) {
  const auto behavior = behavior_of(request);
  if (logs.blocks() != nullptr) {
    if (behavior || !options.risk.empty()) {
      throw FileError(
          "--behavior estimate and questions about risk need all logs in memory. Allow more of it with --memory");
    }
    return evaluate(*logs.blocks(), request.problem, estimators, options);
  }
  const auto& data = std::get<Dataset>(logs.episodes);
  if (behavior) return evaluate(data, *behavior, request.problem, estimators, options);
  return evaluate(make_problem(data, request.problem), estimators, options);
}

Evaluation evaluate_file(const EvaluateRequest& request, Streams& streams) {
  // A slip in the estimators should not cost the time to read the data, nor should a file that is too large for them.
  std::vector<RequestedEstimator> estimators = requested(expand_all(request.estimators, nullptr), request);
  const bool left_open = request.estimators.empty() || asks_for_all(request.estimators);
  const auto needed = too_large(request.logs);
  if (needed && !left_open) estimators = for_blocks(std::move(estimators), *needed, request.logs, streams);
  Progress progress(streams);
  Logs logs = load(request.logs, needed, progress);
  progress.clear();
  if (left_open) estimators = chosen(request, logs, streams);
  if (logs.blocks() != nullptr && (left_open || !needed))
    estimators = for_blocks(std::move(estimators), logs.needed, request.logs, streams);
  EvaluateOptions options{.level = std::nullopt,
                          .details = looks_inside(request),
                          .threads = request.threads,
                          .file = request.logs.data.empty() ? logs.summary.file : request.logs.data,
                          .findings = std::move(logs.findings),
                          .progress = [&](const EvaluateProgress& at) {
                            progress.show(fmt::format("[{}/{}] {}", at.number, at.total, at.estimator));
                          }};
  if (request.interval) options.level = request.level;
  options.interval = interval_of(request);
  options.risk = request.risk;
  if (!request.by.empty()) options.groups = groups_of(request.logs, logs, request.by);
  return evaluate_logs(request, logs, estimators, options);
}

int run(const EvaluateRequest& request, Streams& streams) {
  check_data(request.logs.data, request.logs.columns, "starope evaluate");
  interval_of(request);  // a slip should not cost the time to read the data
  behavior_of(request);
  // Before the work: a folder or a chart runtime that is not there should not cost the time to evaluate.
  std::optional<io::AtomicFile> page;
  if (!request.report.empty()) chart_runtime();
  if (!request.report.empty()) page.emplace(request.report);
  Evaluation evaluation = evaluate_file(request, streams);
  if (page) {
    page->write(evaluation_report(evaluation));
    page->commit();
    say(streams, fmt::format("wrote {}", request.report));
  }
  if (!request.details) {
    evaluation.ess_by_step.clear();
    evaluation.processes.clear();
  }
  streams.out << (request.json ? to_json(evaluation) : printable(text(evaluation, streams.out_terminal)));
  if (request.explain && !request.json) streams.out << printable(explanation(evaluation, streams.out_terminal));
  if (any_answered(evaluation)) return answered;
  say(streams, "no estimator could answer");
  return wrong_data;
}

}  // namespace

Command add_evaluate(CLI::App& app) {
  const auto options = std::make_shared<EvaluateRequest>();
  options->logs.columns.need_state = false;  // the estimators that need states say so themselves
  CLI::App* page = app.add_subcommand("evaluate", description);
  page->footer(footer());
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
  text_option("--behavior", "HOW",
              "Behavior policy: logged (default), or estimate[(method=auto|global|counts|clusters|logistic|neighbors, "
              "folds=N, crossfit=no|yes)] from the logged actions",
              [](EvaluateRequest& o, const std::string& text) {
                o.behavior = text;
                if (text != "logged") ignore_logged_behavior(o.logs.columns);
              });
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
  text_option("--seed", "N", "Seed of estimators that draw random numbers and name none (default 0)",
              [](EvaluateRequest& o, const std::string& text) { o.seed = parse_seed("--seed", text); });
  text_option("--threads", "N", "Number of threads (default: one per core); results do not depend on it",
              [](EvaluateRequest& o, const std::string& text) {
                o.threads = parse_threads("--threads", text);
                o.logs.columns.threads = o.threads;
              });
  page->add_option("--by", options->by,
                   "For whom: also answer for groups of episodes, by a column of their first row (its values, or "
                   "quartiles of numbers), or by a comparison such as 'age<65'")
      ->type_name("COLUMN");
  page->add_flag("--json", options->json, "Print JSON (schema starope.evaluate/1) instead of a table");
  page->add_flag("--explain", options->explain,
                 "Also print how estimators came to their answers (JSON always has that)");
  page->add_flag("--details", options->details,
                 "With --json: also effective sample sizes by step, and the processes behind each star");
  page->add_option("--report", options->report, "Also write a report to look at: one HTML file")->type_name("FILE");
  add_memory_flag(*page, options->logs);
  add_column_flags(*page, options->logs.columns);
  return {.page = page, .run = [options](Streams& streams) { return run(*options, streams); }};
}

}  // namespace starope::cli
