#include "starope/report/behavior_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/evaluate/behavior_view.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/report/chart_spec.hpp"

namespace starope {
namespace {

Figure methods_figure(const BehaviorView& view) {
  const std::string asked = view.estimator.empty() ? "the value" : view.estimator;
  Figure figure{
      .id = "behavior",
      .title = "The estimated behavior policy",
      .caption = fmt::format(
          "{} from the logged actions by {}{}. Each method that was tried has the probability that it gives "
          "to a logged action of an episode that it did not see (geometric mean), and what {} answers with it: if "
          "these answers differ much, the answer depends on the method.",
          estimated_words(view), view.method, view.setting.empty() ? "" : " (" + view.setting + ")", asked),
      .open_table = true};
  figure.table.columns = {
      {"method"}, {"setting for held-out episodes"}, {"probability of a held-out action", true}, {asked, true}};
  Json values = Json::array();
  for (const BehaviorView::Method& each : view.methods) {
    figure.table.rows.push_back(
        {each.method, each.setting, short_number(std::exp(each.log_likelihood)), short_number(each.value)});
    if (!each.value) continue;
    values.push_back(
        {{"estimator", each.method}, {"value", *each.value}, {"lower", *each.value}, {"upper", *each.value}});
  }
  if (values.empty()) return figure;
  const std::size_t rows = values.size();
  Chart chart{.title = "The answer by method",
              .description = fmt::format("What {} answers with the behavior policy estimated by {}.", asked,
                                         counted(static_cast<std::int64_t>(rows), "method"))};
  Json spec = chart_spec("estimates", chart.description, std::move(values));
  spec.at("encoding").at("tooltip").at(0).at("title") = "method";
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

Figure calibration_figure(const BehaviorView& view) {
  Figure figure{.id = "calibration",
                .title = "Is the estimated policy calibrated?",
                .caption =
                    "Actions in episodes that the fit did not see, by the probability that it gave them: how often "
                    "they should have been taken, and how often they were. Points on the line are right; bars are two "
                    "standard errors of what chance alone does."};
  figure.table.columns = {{"from", true},           {"to", true},
                          {"expected", true},       {"taken", true},
                          {"standard error", true}, {"pairs of step and action", true}};
  Json values = Json::array();
  double worst = 0.0;
  for (const CalibrationBin& bin : view.calibration) {
    const double error = calibration_error(bin);
    figure.table.rows.push_back({short_number(bin.lower), short_number(bin.upper), short_number(bin.predicted),
                                 short_number(bin.observed), short_number(error), with_thousands(bin.count)});
    values.push_back({{"expected", bin.predicted},
                      {"taken", bin.observed},
                      {"lower", std::max(0.0, bin.predicted - 2.0 * error)},
                      {"upper", std::min(1.0, bin.predicted + 2.0 * error)},
                      {"count", bin.count}});
    if (bin.count >= enough_for_calibration) worst = std::max(worst, std::abs(bin.observed - bin.predicted));
  }
  Chart chart{
      .title = "Frequencies of actions by their probability",
      .description = fmt::format("How often actions of held-out episodes were taken, by the probability that "
                                 "the fit gave them, in {}; the largest difference is {}.",
                                 counted(static_cast<std::int64_t>(values.size()), "range"), short_number(worst))};
  chart.spec = dump(chart_spec("calibration", chart.description, std::move(values)));
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace

std::vector<Figure> behavior_figures(const Evaluation& evaluation) {
  if (!evaluation.behavior) return {};
  std::vector<Figure> figures{methods_figure(*evaluation.behavior)};
  if (!evaluation.behavior->calibration.empty()) figures.push_back(calibration_figure(*evaluation.behavior));
  return figures;
}

}  // namespace starope
