#include "starope/estimators/direct_method.hpp"

#include <algorithm>
#include <utility>

#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// The mean of the first states' values, whose deviations from it begin the influence values.
void set_mean(std::vector<double> values, Estimate& result) {
  result.influence = std::move(values);
  result.value = moments(result.influence).mean();
  for (double& x : result.influence) x -= result.value;
}

void set_error(bool complete, Estimate& result) {
  center_influence(result);
  if (result.influence.size() > 1) result.std_error = moments(result.influence).standard_error();
  if (!complete) result.findings.push_back(fit_not_in_error());
}

}  // namespace

void add_unseen(double unseen, std::int64_t pairs, const std::string& cell_name, Estimate& result) {
  if (!(unseen > 1e-9)) return;
  result.findings.push_back({unseen > 0.05 ? Severity::critical : Severity::warning,
                             "unseen_action",
                             {{"probability", std::min(1.0, unseen)}, {"pairs", pairs}, {"cell", cell_name}}});
  result.details.push_back({.name = "unseen_probability",
                            .value = unseen,
                            .meaning = "discounted probability of reaching a pair of state and action without data"});
}

void center_influence(Estimate& result) {
  const double rest = moments(result.influence).mean();
  for (double& x : result.influence) x -= rest;
}

Finding fit_not_in_error() {
  return {Severity::warning, "fit_not_in_error"};
}

QInfluence add_fit_influence(const QFit& fit, std::span<const double> slope, Estimate& result) {
  QInfluence found = fit.influence(slope);
  const auto n = static_cast<double>(result.influence.size());
  for (std::size_t i = 0; i < result.influence.size(); ++i) result.influence[i] += n * found.of_episode[i];
  return found;
}

void add_fit(QFit& fit, const QLogs& logs, Estimate& estimate) {
  for (Finding& finding : fit.findings) estimate.findings.push_back(std::move(finding));
  for (Finding& finding : logs.findings()) estimate.findings.push_back(std::move(finding));
  for (QDetail& detail : fit.details) {
    Detail shown{.name = std::move(detail.name), .value = {}, .meaning = std::move(detail.meaning)};
    std::visit([&](auto& value) { shown.value = std::move(value); }, detail.value);
    estimate.details.push_back(std::move(shown));
  }
  if (logs.horizon()) {
    estimate.details.push_back(
        {.name = "horizon",
         .value = static_cast<double>(logs.horizon()->steps()),
         .meaning = logs.problem().horizon() ? "steps that count" : "steps that count: all cut episodes stop there"});
  }
}

Estimate estimate(const DirectMethod& estimator, const Problem& problem, const EstimateOptions& options) {
  const auto* recipe = std::get_if<QRecipe>(&estimator.q);
  const QLogs logs(problem, recipe == nullptr ? "a Q table" : name(recipe->method));
  QFit fit = fit_q(estimator.q, logs, {.threads = options.threads});
  std::vector<double> values;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const std::int64_t row = problem.episode(i).first_row;
    values.push_back(mean_over_actions(logs.target(row), fit.values.at(row)));
  }
  Estimate result;
  set_mean(std::move(values), result);
  if (fit.influence) {
    const QInfluence found = add_fit_influence(fit, start_slope(logs), result);
    add_unseen(found.unseen, found.unseen_pairs, fit.cell_name, result);
  }
  set_error(static_cast<bool>(fit.influence), result);
  add_fit(fit, logs, result);
  return result;
}

Estimate estimate(const LearnedModel& estimator, const Problem& problem, const EstimateOptions& /*options*/) {
  const QLogs logs(problem, "mb(model=mlp)");
  LearnedModelValue found = roll_out_learned_model(logs, estimator);
  Estimate result;
  set_mean(std::move(found.of_episode), result);
  set_error(false, result);
  if (found.unfinished) {
    result.findings.push_back({Severity::critical, "unfinished_rollouts"});
  }
  QFit fit;
  fit.details = {{"rollouts", static_cast<double>(found.rollouts), "of the learned process"},
                 {"rollout_steps", static_cast<double>(found.steps), "of the longest one"},
                 {"validation_loss", found.dynamics_loss, "of next state and reward, in units of their spread"},
                 {"policy_loss", found.policy_loss, "cross-entropy of the imitated target policy"}};
  add_fit(fit, logs, result);
  return result;
}

}  // namespace starope
