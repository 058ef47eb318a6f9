#include "starope/estimators/direct_method.hpp"

#include <utility>

#include "starope/stats/moments.hpp"

namespace starope {

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
  QFit fit = fit_q(estimator.q, logs, {.influence = true, .threads = options.threads});
  Estimate result;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const std::int64_t row = problem.episode(i).first_row;
    result.influence.push_back(mean_over_actions(logs.target(row), fit.values.at(row)));
  }
  result.value = moments(result.influence).mean();
  for (std::size_t i = 0; i < result.influence.size(); ++i) {
    result.influence[i] -= result.value;
    if (fit.influence) result.influence[i] += (*fit.influence)[i];
  }
  // A ridge leaves the fit's part a little off zero in the mean.
  const double rest = moments(result.influence).mean();
  for (double& x : result.influence) x -= rest;
  if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  add_fit(fit, logs, result);
  if (!fit.influence) {
    result.findings.push_back({Severity::warning, "fit_not_in_error",
                               "The standard error counts the spread over first states alone; how uncertain the fitted "
                               "network is, is not in it."});
  }
  return result;
}

}  // namespace starope
