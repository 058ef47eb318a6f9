#include "starope/compare.hpp"
#include "starope/evaluate/answer_json.hpp"
#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

Json policy_json(const ComparedPolicy& policy) {
  Json json{{"policy", policy.policy}, {"rank", policy.rank ? Json(*policy.rank) : Json(nullptr)}};
  json["probability_best"] = json_number(policy.probability_best);
  json.update(answer_json(policy.answer));
  json["verdict"] = policy.verdict ? verdict_json(*policy.verdict) : Json(nullptr);
  return json;
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  const Evaluation::Data& data = comparison.data;
  Json json{{"schema", "starope.compare/1"}};
  json["data"] = {{"file", data.file},   {"episodes", data.episodes},
                  {"steps", data.steps}, {"truncated", data.truncated},
                  {"gamma", data.gamma}, {"horizon", data.horizon ? Json(*data.horizon) : Json(nullptr)}};
  json["level"] = json_number(comparison.level);
  const auto name = [&](std::size_t place) { return comparison.policies[place].policy; };
  json["policies"] = Json::array();
  for (const ComparedPolicy& policy : comparison.policies) json["policies"].push_back(policy_json(policy));
  json["differences"] = Json::array();
  for (const PolicyDifference& each : comparison.differences) {
    Json pair{{"first", name(each.first)}, {"second", name(each.second)}};
    pair.update(difference_json(each.difference));
    pair.erase("logged");  // the value of the second policy, which stands above
    pair["told_apart"] = each.told_apart;
    json["differences"].push_back(std::move(pair));
  }
  json["ranking"] = Json::array();
  for (const std::size_t place : comparison.ranking) json["ranking"].push_back(name(place));
  json["not_told_apart"] = Json::array();
  for (const auto& group : comparison.not_told_apart) {
    Json names = Json::array();
    for (const std::size_t place : group) names.push_back(name(place));
    json["not_told_apart"].push_back(std::move(names));
  }
  return json_text(json);
}

}  // namespace starope
