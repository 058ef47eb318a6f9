#include "starope/evaluate/answer_json.hpp"

#include <type_traits>
#include <utility>
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

// Members are read one by one: g++ 12 destroys an aggregate twice where a member's initializer throws.

std::vector<Detail> details_from(const Json& json) {
  std::vector<Detail> details;
  for (const auto& [name, value] : json.items()) {
    Detail detail{.name = name};
    if (value.is_boolean()) {
      detail.value = value.get<bool>();
    } else if (value.is_string()) {
      detail.value = value.get<std::string>();
    } else if (value.is_array()) {
      std::vector<double> series;
      for (const Json& each : value) series.push_back(number_from(each));
      detail.value = std::move(series);
    } else {
      detail.value = number_from(value);
    }
    details.push_back(std::move(detail));
  }
  return details;
}

std::vector<FamilyAnswer> families_from(const Json& json) {
  std::vector<FamilyAnswer> families;
  for (const Json& each : json) {
    FamilyAnswer family;
    family.family = each.at("family");
    family.value = number_from(each.at("value"));
    family.error = number_from(each.at("error"));
    family.weight = number_from(each.at("weight"));
    family.reason = each.at("reason");
    families.push_back(std::move(family));
  }
  return families;
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

std::optional<Interval> interval_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Interval interval;
  interval.lower = number_from(json.at("lower"));
  interval.upper = number_from(json.at("upper"));
  interval.level = json.at("level");
  interval.method = json.at("method");
  return interval;
}

Difference difference_from(const Json& json) {
  Difference difference;
  difference.value = number_from(json.at("value"));
  difference.std_error = optional_number_from(json.at("std_error"));
  difference.interval = interval_from(json.at("interval"));
  difference.probability_better = optional_number_from(json.at("probability_better"));
  difference.logged = number_from(json.at("logged").at("value"));
  difference.logged_std_error = optional_number_from(json.at("logged").at("std_error"));
  return difference;
}

Verdict verdict_from(const Json& json) {
  Verdict verdict;
  const std::string grade = json.at("grade");
  for (const Grade known : {Grade::supported, Grade::doubtful, Grade::not_answerable}) {
    if (grade == name(known)) verdict.grade = known;
  }
  for (const Json& each : json.at("reasons")) {
    VerdictReason reason;
    reason.code = each.at("code");
    reason.reason = each.at("reason");
    reason.advice = each.at("advice");
    verdict.reasons.push_back(std::move(reason));
  }
  return verdict;
}

Answer answer_from(const Json& json) {
  Answer answer;
  answer.estimator = json.at("estimator");
  if (const Json& error = member_or_null(json, "error"); !error.is_null()) {
    Failure failure;
    failure.code = error.at("code");
    failure.message = error.at("message");
    answer.result = std::move(failure);
    return answer;
  }
  Estimate estimate;
  estimate.estimator = answer.estimator;
  estimate.value = number_from(json.at("value"));
  estimate.std_error = optional_number_from(member_or_null(json, "std_error"));
  estimate.interval = interval_from(member_or_null(json, "interval"));
  estimate.ess = optional_number_from(member_or_null(json, "ess"));
  estimate.findings = findings_from(member_or_null(json, "findings"));
  estimate.details = details_from(member_or_null(json, "details"));
  estimate.families = families_from(member_or_null(json, "families"));
  answer.result = std::move(estimate);
  return answer;
}

}  // namespace starope
