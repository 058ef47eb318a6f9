#include "behavior_flag.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <variant>

#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/problem.hpp"

namespace starope::cli {
namespace {

// Nothing about the behavior policy is read, and actions must be there.
void ignore_logged_behavior(io::ReadOptions& columns) {
  columns.need_behavior = false;
  columns.need_action = true;
  columns.behavior_prob = columns.behavior_logp = columns.behavior_probs = "";
}

// Of the behavior policy only the probabilities of logged actions are read, which may have gaps.
void allow_gaps(io::ReadOptions& columns) {
  columns.behavior_gaps = true;
  columns.need_action = true;
  columns.behavior_probs = "";
}

}  // namespace

std::optional<BehaviorRecipe> BehaviorFlag::recipe(Seed seed, const char* command) const {
  if (how == "logged") return std::nullopt;
  try {
    return parse_behavior(how, seed);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--behavior {}: {}", how, error.what()), command);
  }
}

void add_behavior_flag(CLI::App& page, BehaviorFlag& flag, io::ReadOptions& columns) {
  page.add_option_function<std::string>(
          "--behavior",
          [&flag, &columns](const std::string& text) {
            flag.how = text;
            if (text == "logged") return;
            text.starts_with("fill") ? allow_gaps(columns) : ignore_logged_behavior(columns);
          },
          "Behavior policy: logged (default), or estimate from the logged actions, or fill, where only missing "
          "probabilities are estimated; both with (method=M), one of auto, global, counts, clusters, logistic, "
          "neighbors, and folds=N, crossfit=yes or no, pseudocounts=X")
      ->type_name("HOW");
}

Evaluation evaluate_logs(const LogsRequest& asked, const Logs& logs, const std::optional<Source>& watched,
                         const std::optional<BehaviorRecipe>& behavior, const ProblemOptions& question,
                         const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options) {
  if (logs.blocks() != nullptr) {
    if (behavior || !options.risk.empty()) fail_needs_all_logs(options.file, logs.needed, asked.limit());
    return evaluate(*watched, question, estimators, options);
  }
  const auto& data = std::get<Dataset>(logs.episodes);
  if (behavior) return evaluate(data, *behavior, question, estimators, options);
  return evaluate(make_problem(data, question), estimators, options);
}

}  // namespace starope::cli
