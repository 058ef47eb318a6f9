#include "starope/evaluate/answer_json.hpp"

#include <type_traits>
#include <variant>

namespace starope {
namespace {

Json details_json(const std::vector<Detail>& details) {
  Json json = Json::object();
  for (const Detail& detail : details) {
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, double>) {
            json[detail.name] = json_number(value);
          } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
            json[detail.name] = Json::array();
            for (const double x : value) json[detail.name].push_back(json_number(x));
          } else {
            json[detail.name] = value;
          }
        },
        detail.value);
  }
  return json;
}

Json families_json(const std::vector<FamilyAnswer>& families) {
  Json json = Json::array();
  for (const FamilyAnswer& family : families) {
    json.push_back({{"family", family.family},
                    {"value", json_number(family.value)},
                    {"error", json_number(family.error)},
                    {"weight", json_number(family.weight)},
                    {"reason", family.reason}});
  }
  return json;
}

}  // namespace

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"lower", json_number(interval->lower)},
          {"upper", json_number(interval->upper)},
          {"level", interval->level},
          {"method", interval->method}};
}

Json difference_json(const Difference& difference) {
  return {
      {"value", json_number(difference.value)},
      {"std_error", json_number(difference.std_error)},
      {"interval", interval_json(difference.interval)},
      {"probability_better", json_number(difference.probability_better)},
      {"logged", {{"value", json_number(difference.logged)}, {"std_error", json_number(difference.logged_std_error)}}}};
}

Json verdict_json(const Verdict& verdict) {
  Json json{{"grade", name(verdict.grade)}, {"reasons", Json::array()}};
  for (const VerdictReason& reason : verdict.reasons)
    json["reasons"].push_back({{"code", reason.code}, {"reason", reason.reason}, {"advice", reason.advice}});
  return json;
}

// The numbers and findings of an estimate; what answers has the same as its own entry among the estimates.
Json answer_summary_json(const std::string& estimator, const Estimate& estimate) {
  return {{"estimator", estimator},
          {"value", json_number(estimate.value)},
          {"std_error", json_number(estimate.std_error)},
          {"interval", interval_json(estimate.interval)},
          {"ess", json_number(estimate.ess)},
          {"findings", json_findings(estimate.findings)}};
}

Json answer_json(const Answer& answer) {
  Json json{{"estimator", answer.estimator}};
  if (const auto* failure = std::get_if<Failure>(&answer.result)) {
    json["error"] = {{"code", failure->code}, {"message", failure->message}};
    json["findings"] = Json::array();
    return json;
  }
  const auto& estimate = std::get<Estimate>(answer.result);
  json = answer_summary_json(answer.estimator, estimate);
  if (!estimate.details.empty()) json["details"] = details_json(estimate.details);
  if (!estimate.families.empty()) json["families"] = families_json(estimate.families);
  return json;
}

}  // namespace starope
