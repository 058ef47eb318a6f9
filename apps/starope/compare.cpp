#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "starope/compare.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/problem.hpp"
#include "starope/report.hpp"
#include "starope/report/embedded.hpp"

namespace starope::cli {
namespace {

constexpr const char* compare_command = "starope compare";

struct CompareRequest {
  LogsRequest logs{};
  std::vector<std::string> columns{};     // --target-prob: one policy each
  std::vector<std::string> logarithms{};  // --target-logp
  std::vector<std::string> prefixes{};    // --target-probs
  std::vector<std::string> files{};       // --target
  std::string estimator{};                // empty: auto, or wpdis without states
  BehaviorFlag behavior{};
  ProblemOptions problem{};
  Level level{0.95};
  Seed seed{0};
  Threads threads = Threads::all();
  bool json = false;
  std::string report{};
};

constexpr const char* compare_description =
    "Compare several target policies on the same logs: their values, how much more than the logged policy and than "
    "each other they earn, which is best, and which these logs do not tell apart.\n"
    "A policy is a column of probabilities of the logged actions (--target-prob, --target-logp), a list of columns "
    "with the probabilities of all actions (--target-probs), or a file (--target); give one of these for each policy.";

constexpr const char* compare_footer =
    "Intervals of the values hold for all policies at once, those of the differences for all pairs.\n"
    "Exit code: 0 a policy has an answer, 1 wrong data or file, 2 wrong usage.\n"
    "\n"
    "Example:\n"
    "  starope simulate cartpole --episodes 200 -o cartpole.csv\n"
    "  starope compare cartpole.csv --target-prob target_prob --target-prob behavior_prob";

// What is read for one policy: its columns, or its file. The columns of the others are not looked at.
struct Policy {
  std::string name{};
  LogsRequest reading{};
};

std::vector<Policy> policies_of(const CompareRequest& request) {
  std::vector<Policy> policies;
  const auto add = [&](const std::string& name, std::optional<std::string> io::ReadOptions::*role) {
    Policy policy{.name = name, .reading = request.logs};
    io::ReadOptions& columns = policy.reading.columns;
    for (auto each : {&io::ReadOptions::target_prob, &io::ReadOptions::target_logp, &io::ReadOptions::target_probs})
      columns.*each = std::string();
    columns.*role = name;
    policies.push_back(std::move(policy));
  };
  for (const std::string& name : request.columns) add(name, &io::ReadOptions::target_prob);
  for (const std::string& name : request.logarithms) add(name, &io::ReadOptions::target_logp);
  for (const std::string& name : request.prefixes) add(name, &io::ReadOptions::target_probs);
  for (const std::string& file : request.files) {
    Policy policy{.name = file, .reading = request.logs};
    policy.reading.target = file;
    policy.reading = with_policy(std::move(policy.reading), compare_command);
    policies.push_back(std::move(policy));
  }
  if (policies.empty()) {
    throw UsageError("which policies? Give --target-prob COLUMN or --target FILE for each of them", compare_command);
  }
  return policies;
}

// Policies in files leave the columns alone, so the logs are read once for all of them.
class PolicyLogs {
 public:
  // `asked`: the estimator that answers; empty: that depends on the columns.
  PolicyLogs(const std::vector<Policy>& policies, std::vector<RequestedEstimator> asked, Progress& progress)
      : progress_(progress), asked_(std::move(asked)) {
    for (const Policy& policy : policies) {
      if (!policy.reading.policy) continue;
      if (!shared_) shared_ = policy.reading;
      shared_->columns.need_state = shared_->columns.need_state || policy.reading.columns.need_state;
      shared_->policy.reset();
    }
  }

  Logs of(const Policy& policy) {
    if (!policy.reading.policy) return read(policy.reading);
    if (!logs_) logs_ = read(*shared_);
    return with_target(*logs_, *policy.reading.policy, policy.reading.columns.threads);
  }

 private:
  // An estimator that needs all logs in memory says so before they are read.
  Logs read(LogsRequest reading) {
    reading.models = asked_.empty() || std::any_of(asked_.begin(), asked_.end(), fits_a_model);
    const auto needed = too_large(reading);
    if (needed && !asked_.empty()) starope::for_blocks(asked_, reading.data, *needed, reading.limit());
    return load(reading, needed, progress_);
  }

  Progress& progress_;
  std::vector<RequestedEstimator> asked_;
  std::optional<LogsRequest> shared_{};
  std::optional<Logs> logs_{};
};

std::vector<RequestedEstimator> estimators_of(const std::string& list, const CompareRequest& request) {
  try {
    Inputs inputs;
    inputs.add(request.logs.data);
    inputs.add_query(request.logs.columns.sql);
    for (const std::string& file : request.files) inputs.add(file);
    std::vector<RequestedEstimator> estimators =
        request_estimators({list, "naive"}, noted(estimator_files(), inputs), request.seed);
    if (!request.report.empty()) inputs.expect_not(request.report, compare_command);
    return estimators;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), compare_command);
  }
}

PolicyEvaluation evaluate_policy(const Policy& policy, Logs logs, const CompareRequest& request, Streams& streams,
                                 Progress& progress) {
  const LogsRequest& reading = policy.reading;
  const bool states = !std::holds_alternative<std::monostate>(logs.first().states());
  std::string list = request.estimator;
  if (list.empty()) list = states ? "auto" : "wpdis";
  std::vector<RequestedEstimator> estimators = estimators_of(list, request);
  if (logs.blocks() != nullptr) estimators = for_blocks(std::move(estimators), logs.needed, reading, streams);
  progress.show(fmt::format("{}: {}", policy.name, list));
  const EvaluateOptions options{.level = request.level,
                                .influence = true,
                                .threads = request.threads,
                                .file = reading.data.empty() ? logs.summary.file : reading.data,
                                .findings = std::move(logs.findings)};
  std::optional<Source> watched;
  if (logs.blocks() != nullptr)
    watched = logs.watched(progress, [&] { return fmt::format("{}: {}", policy.name, list); });
  Evaluation evaluation = evaluate_logs(reading, logs, watched, request.behavior.recipe(request.seed, compare_command),
                                        request.problem, estimators, options);
  return {.policy = policy.name, .evaluation = std::move(evaluation)};
}

int run(const CompareRequest& request, Streams& streams) {
  check_data(request.logs.data, request.logs.columns, compare_command);
  const std::vector<Policy> policies = policies_of(request);
  request.behavior.recipe(request.seed, compare_command);  // slips, before anything is read
  std::vector<RequestedEstimator> asked;
  if (!request.estimator.empty()) {
    asked = estimators_of(request.estimator, request);
    asked.pop_back();  // the logged policy, which takes blocks
  }
  const std::size_t readings = policies.size() - (request.files.empty() ? 0 : request.files.size() - 1);
  if ((request.logs.data == "-" || is_pipe(request.logs.data)) && readings > 1) {
    throw UsageError(
        "compare reads the logs once for each policy in columns, and standard input or a pipe can be read only once: "
        "give a file",
        compare_command);
  }
  std::optional<io::AtomicFile> page;
  if (!request.report.empty()) chart_runtime();
  if (!request.report.empty()) page.emplace(request.report);
  std::vector<PolicyEvaluation> evaluations;
  Progress progress(streams);
  PolicyLogs logs(policies, std::move(asked), progress);
  for (const Policy& policy : policies)
    evaluations.push_back(evaluate_policy(policy, logs.of(policy), request, streams, progress));
  progress.clear();
  const Comparison comparison = compare(std::move(evaluations), {.level = request.level, .seed = request.seed});
  if (page) {
    page->write(comparison_report(comparison));
    page->commit();
    say(streams, fmt::format("wrote {}", request.report));
  }
  streams.out << (request.json ? to_json(comparison)
                               : printable(text(comparison, streams.out_terminal), streams.out_terminal));
  if (comparison.ranking.size() > 1) return answered;  // besides the logged policy
  say(streams, "no policy has an answer");
  return wrong_data;
}

}  // namespace

Command add_compare(CLI::App& app) {
  const auto request = std::make_shared<CompareRequest>();
  request->logs.columns.need_state = false;
  CLI::App* page = app.add_subcommand("compare", compare_description);
  page->footer(compare_footer);
  const auto text_option = [&](const char* flag, const char* type, const char* explanation, auto set) {
    page->add_option_function<std::string>(
            flag, [request, set](const std::string& text) { set(*request, text); }, explanation)
        ->type_name(type);
  };
  const auto policies = [&](const char* flag, std::vector<std::string>& to, const char* type, const char* explanation) {
    page->add_option(flag, to, explanation)->type_name(type)->allow_extra_args(false);
  };
  page->add_option("DATA", request->logs.data, "Logged episodes: CSV, TSV or a NumPy archive (.npz)");
  add_memory_flag(*page, request->logs);
  add_column_flags(*page, request->logs.columns);
  for (const char* single : {"--target-prob", "--target-logp", "--target-probs"})
    page->remove_option(page->get_option(single));
  policies("--target-prob", request->columns, "NAME",
           "A policy: the column with its probabilities of the logged actions; may be repeated");
  policies("--target-logp", request->logarithms, "NAME", "A policy: the same as natural logarithms; may be repeated");
  policies("--target-probs", request->prefixes, "PREFIX",
           "A policy: all action probabilities, in columns PREFIX_0, PREFIX_1, ...; may be repeated");
  policies(
      "--target", request->files, "FILE",
      "A policy as a file: probabilities by state (.csv), or weights of a linear policy or a network (.json, .npz); "
      "may be repeated");
  page->add_option("--estimator", request->estimator, "Which estimator answers (default auto; without states wpdis)")
      ->type_name("NAME");
  add_behavior_flag(*page, request->behavior, request->logs.columns);
  text_option("--gamma", "G", "Discount from 0 to 1 (default 1)",
              [](CompareRequest& o, const std::string& text) { o.problem.discount = parse_discount("--gamma", text); });
  text_option("--horizon", "H", "Only the first H steps of an episode count (default: all)",
              [](CompareRequest& o, const std::string& text) { o.problem.horizon = parse_horizon("--horizon", text); });
  text_option("--level", "L", "Confidence level of all intervals at once (default 0.95)",
              [](CompareRequest& o, const std::string& text) { o.level = parse_level("--level", text); });
  text_option("--seed", "N", "Seed of the estimator and of the simultaneous intervals (default 0)",
              [](CompareRequest& o, const std::string& text) { o.seed = parse_seed("--seed", text); });
  text_option("--threads", "N", "Number of threads (default: one per core); results do not depend on it",
              [](CompareRequest& o, const std::string& text) {
                o.threads = parse_threads("--threads", text);
                o.logs.columns.threads = o.threads;
              });
  page->add_flag("--json", request->json, "Print JSON (schema starope.compare/1) instead of a table");
  page->add_option("--report", request->report, "Also write a report to look at: one HTML file")->type_name("FILE");
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
