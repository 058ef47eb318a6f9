#include <array>
#include <string>
#include <utility>
#include <vector>

#include "starope/behavior.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/estimator_call.hpp"

namespace starope {
namespace {

// The estimator whose answers show how much the method matters: the first that answered and looks at the ratios.
const RequestedEstimator* shown_estimator(const Evaluation& evaluation,
                                          const std::vector<RequestedEstimator>& estimators) {
  for (std::size_t i = 0; i < estimators.size(); ++i) {
    const auto* estimator = std::get_if<Estimator>(&estimators[i].estimator);
    if (estimator == nullptr || std::holds_alternative<Naive>(*estimator)) continue;
    if (std::holds_alternative<Estimate>(evaluation.estimates[i].result)) return &estimators[i];
  }
  return nullptr;
}

// Logs that could have gaps and have none.
Dataset without_gaps(const Dataset& data) {
  Columns columns = data.columns();
  if (columns.behavior_with_gaps) columns.behavior = std::move(columns.behavior_with_gaps);
  columns.behavior_with_gaps.reset();
  return Dataset(std::move(columns));
}

}  // namespace

BehaviorRecipe parse_behavior(std::string_view text, Seed seed) {
  const EstimatorCall call(text);
  if (call.name() != "estimate" && call.name() != "fill") {
    throw InvalidArgument("the behavior policy is 'logged', 'estimate' or 'fill', or one of these with (method=...)");
  }
  std::vector<std::string> names;
  constexpr std::array methods{BehaviorMethod::automatic, BehaviorMethod::global,   BehaviorMethod::counts,
                               BehaviorMethod::clusters,  BehaviorMethod::logistic, BehaviorMethod::neighbors};
  for (const BehaviorMethod method : methods) names.push_back(name(method));
  // What the fit has in common with the sample helps only where all probabilities are fitted.
  const bool fill = call.name() == "fill";
  const std::vector<std::string> cross_fit{fill ? "yes" : "no", fill ? "no" : "yes"};
  call.check({OptionSpec::choice("method", names, "how; auto: by held-out likelihood"),
              OptionSpec::whole("folds", 2, "5", "of episodes, for the choice").at_most(1000),
              OptionSpec::number("pseudocounts", 0.0, "", "of counts: steps of all states that are added to each"),
              OptionSpec::choice("crossfit", cross_fit, "whether an episode's own actions are left out")});
  BehaviorRecipe recipe{.method = methods[call.choice("method", names)], .fill = fill, .seed = seed};
  recipe.folds = call.whole_number("folds").value_or(recipe.folds);
  recipe.pseudo_counts = call.number("pseudocounts", 0.0);
  recipe.cross_fit = (call.choice("crossfit", cross_fit) == 1) != fill;
  return recipe;
}

Evaluation evaluate(const Dataset& data, const BehaviorRecipe& behavior, const ProblemOptions& question,
                    const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options) {
  const std::int64_t gaps = behavior_gaps(data);
  if (behavior.fill && gaps == 0) return evaluate(make_problem(without_gaps(data), question), estimators, options);
  const BehaviorFit fit = estimate_behavior(data, behavior, options.threads);
  EvaluateOptions with = options;
  with.behavior = behavior;
  with.behavior->method = fit.method;
  Evaluation evaluation = evaluate(make_problem(with_behavior(data, fit), question), estimators, with);
  BehaviorView view{.method = name(fit.method),
                    .setting = fit.setting,
                    .methods = {},
                    .estimator = {},
                    .calibration = fit.calibration,
                    .filled = gaps};
  const RequestedEstimator* const shown = shown_estimator(evaluation, estimators);
  if (shown != nullptr) view.estimator = shown->text;
  for (const BehaviorScore& score : fit.scores) {
    BehaviorView::Method method{
        .method = name(score.method), .setting = score.setting, .log_likelihood = score.log_likelihood, .value = {}};
    if (shown != nullptr) {
      BehaviorRecipe other = behavior;
      other.method = score.method;
      const Dataset filled = score.method == fit.method
                                 ? with_behavior(data, fit)
                                 : with_behavior(data, estimate_behavior(data, other, options.threads));
      const Evaluation again =
          evaluate(make_problem(filled, question), {*shown},
                   EvaluateOptions{.level = std::nullopt, .checks = false, .threads = options.threads});
      if (const auto* estimate = std::get_if<Estimate>(&again.estimates[0].result)) method.value = estimate->value;
    }
    view.methods.push_back(std::move(method));
  }
  evaluation.data.findings.push_back(
      gaps == 0 ? Finding{Severity::info, "behavior_estimated", {{"method", view.method}}}
                : Finding{Severity::info,
                          "behavior_filled",
                          {{"rows", gaps},
                           {"share", static_cast<double>(gaps) / static_cast<double>(data.steps())},
                           {"method", view.method}}});
  evaluation.behavior = std::move(view);
  return evaluation;
}

}  // namespace starope
