#include "starope/evaluate/behavior_view.hpp"

#include <fmt/format.h>

#include <cmath>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/layout/layout.hpp"

namespace starope {

Json behavior_json(const BehaviorView& view) {
  Json json{{"method", view.method}, {"setting", view.setting}};
  json["methods"] = Json::array();
  for (const BehaviorView::Method& each : view.methods) {
    json["methods"].push_back({{"method", each.method},
                               {"setting", each.setting},
                               {"log_likelihood", json_number(each.log_likelihood)},
                               {"value", json_number(each.value)}});
  }
  json["estimator"] = view.estimator;
  json["calibration"] = Json::array();
  for (const CalibrationBin& bin : view.calibration) {
    json["calibration"].push_back({{"lower", bin.lower},
                                   {"upper", bin.upper},
                                   {"predicted", bin.predicted},
                                   {"observed", bin.observed},
                                   {"count", bin.count}});
  }
  if (view.filled > 0) json["filled"] = view.filled;
  return json;
}

BehaviorView behavior_from(const Json& json) {
  BehaviorView view;
  view.method = json.at("method");
  view.setting = json.at("setting");
  view.estimator = json.at("estimator");
  for (const Json& each : json.at("methods")) {
    BehaviorView::Method method;
    method.method = each.at("method");
    method.setting = each.at("setting");
    method.log_likelihood = number_from(each.at("log_likelihood"));
    method.value = optional_number_from(each.at("value"));
    view.methods.push_back(std::move(method));
  }
  for (const Json& each : json.at("calibration")) {
    CalibrationBin bin;
    bin.lower = number_from(each.at("lower"));
    bin.upper = number_from(each.at("upper"));
    bin.predicted = number_from(each.at("predicted"));
    bin.observed = number_from(each.at("observed"));
    bin.count = whole_from(each.at("count"));
    view.calibration.push_back(bin);
  }
  if (json.contains("filled")) view.filled = whole_from(json.at("filled"));
  return view;
}

std::string estimated_words(const BehaviorView& view) {
  if (view.filled == 0) return "The behavior policy was estimated";
  if (view.filled == 1) return "One behavior probability that was not logged was estimated";
  return with_thousands(view.filled) + " behavior probabilities that were not logged were estimated";
}

double calibration_error(const CalibrationBin& bin) {
  return std::sqrt(bin.predicted * (1.0 - bin.predicted) / static_cast<double>(bin.count));
}

std::string behavior_text(const BehaviorView& view, const TextStyle& style) {
  std::string out = wrap_indented(
      fmt::format("{} from the logged actions by {}{}. Held-out probability of a logged action (geometric mean){}:",
                  estimated_words(view), view.method, view.setting.empty() ? "" : " (" + view.setting + ")",
                  view.estimator.empty() ? "" : fmt::format(", and what {} would say with it", view.estimator)),
      style.width, "", "");
  for (const BehaviorView::Method& each : view.methods) {
    out += fmt::format("  {:<10} {:.3f}{}\n", each.method, std::exp(each.log_likelihood),
                       each.value ? fmt::format("   {}", format_number(*each.value, 4)) : "");
  }
  const CalibrationBin* worst = nullptr;
  const auto miss = [](const CalibrationBin& bin) { return std::abs(bin.predicted - bin.observed); };
  int filled = 0;
  for (const CalibrationBin& bin : view.calibration) {
    if (bin.count < enough_for_calibration) continue;
    if (worst == nullptr || miss(bin) > miss(*worst)) worst = &bin;
    ++filled;
  }
  // Those of all actions sum to one in every step: a single bin with all of them says nothing.
  constexpr double rounding = 1e-9;
  if (worst == nullptr || (filled < 2 && miss(*worst) < rounding)) return out;
  return out + wrap_indented(
                   fmt::format("Calibration on held-out episodes: frequencies differ from probabilities by {} at "
                               "most (where {} is expected, {} is found; by chance alone they differ by up to {}).",
                               format_number(miss(*worst), 2), format_number(worst->predicted, 2),
                               format_number(worst->observed, 2), format_number(2.0 * calibration_error(*worst), 2)),
                   style.width, "", "");
}

}  // namespace starope
