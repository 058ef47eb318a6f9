#include "starope/inspect.hpp"

#include <algorithm>
#include <utility>

#include "starope/checks/check_logs.hpp"
#include "starope/evaluate/advice.hpp"
#include "starope/evaluate/inspection_sums.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/parallel/stop.hpp"

namespace starope {

double few_episodes(std::int64_t episodes) {
  return std::min(10.0, 0.5 * static_cast<double>(episodes));
}

InspectionSums look_at(const Source& part, const InspectOptions& options) {
  InspectionSums sums(options);
  const Source::Next next = part.open();
  while (const auto block = next()) {
    stop_if_asked();
    sums.add(*block);
  }
  return sums;
}

WeightsAtSteps weigh(const Source& part, const InspectionSums& total) {
  WeightsAtSteps weights = total.no_weights();
  if (!total.weighted()) return weights;
  const Source::Next next = part.open();
  while (const auto block = next()) {
    stop_if_asked();
    const Problem problem = total.asked(*block);
    for (std::int64_t i = 0; i < problem.episodes(); ++i) weights.add(problem.episode(i));
  }
  return weights;
}

Inspection finish(const InspectionSums& total, const WeightsAtSteps& weights, const Source& checked, Threads threads) {
  Inspection inspection = total.finish();
  if (total.weighted()) inspection.weights = weights.finish();
  const LogChecks checks = look_at_logs(checked, {.threads = threads});
  inspection.findings = checks.findings;
  for (const CalibrationRow& row : checks.calibration) {
    inspection.calibration.push_back({.least = row.least,
                                      .most = row.most,
                                      .expected = row.expected,
                                      .observed = row.observed,
                                      .errors = row.errors,
                                      .steps = row.steps});
  }
  if (const auto& history = checks.history) {
    inspection.history = {.of = history->of,
                          .gain = history->gain,
                          .errors = history->errors,
                          .steps = history->steps,
                          .matters = history->matters};
  }
  inspection.findings = advice(inspection);
  return inspection;
}

Inspection inspect(const Source& source, const InspectOptions& options) {
  const InspectionSums total = look_at(source, options);
  return finish(total, weigh(source, total), source, options.threads);
}

Inspection inspect(const Dataset& data, const InspectOptions& options) {
  return inspect(dataset_source(data), options);
}

}  // namespace starope
