#include "starope/compare.hpp"

#include <utility>
#include <variant>

#include "starope/evaluate/answer_json.hpp"
#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

constexpr JsonDocument comparison_document{.schema = "starope.compare/1",
                                           .code = "bad_comparison",
                                           .what = "a comparison",
                                           .remedy = "Write it with 'starope compare --json'"};

Json policy_json(const ComparedPolicy& policy) {
  Json json{{"policy", policy.policy}, {"rank", policy.rank ? Json(*policy.rank) : Json(nullptr)}};
  json["probability_best"] = json_number(policy.probability_best);
  json.update(answer_json(policy.answer));
  json["verdict"] = policy.verdict ? verdict_json(*policy.verdict) : Json(nullptr);
  return json;
}

ComparedPolicy policy_from(const Json& json) {
  ComparedPolicy policy;
  policy.policy = json.at("policy");
  policy.answer = answer_from(json);
  if (const Json& verdict = json.at("verdict"); !verdict.is_null()) policy.verdict = verdict_from(verdict);
  if (const Json& rank = json.at("rank"); !rank.is_null()) policy.rank = whole_from(rank);
  policy.probability_best = optional_number_from(json.at("probability_best"));
  return policy;
}

// Policies are called by their names.
std::size_t place_of(const Comparison& comparison, const Json& name) {
  for (std::size_t i = 0; i < comparison.policies.size(); ++i) {
    if (comparison.policies[i].policy == name) return i;
  }
  refuse_document(comparison_document, {}, "names a policy that it does not list: " + name.dump());
}

PolicyDifference pair_from(const Comparison& comparison, Json json) {
  PolicyDifference pair;
  pair.first = place_of(comparison, json.at("first"));
  pair.second = place_of(comparison, json.at("second"));
  const auto* estimate = std::get_if<Estimate>(&comparison.policies[pair.second].answer.result);
  json["logged"] = {{"value", estimate == nullptr ? Json(nullptr) : json_number(estimate->value)},
                    {"std_error", estimate == nullptr ? Json(nullptr) : json_number(estimate->std_error)}};
  pair.difference = difference_from(json);
  pair.told_apart = json.at("told_apart");
  return pair;
}

Comparison comparison_from(const Json& json) {
  Comparison comparison;
  const Json& data = json.at("data");
  comparison.data.file = data.at("file");
  comparison.data.episodes = whole_from(data.at("episodes"));
  comparison.data.steps = whole_from(data.at("steps"));
  comparison.data.truncated = whole_from(data.at("truncated"));
  comparison.data.gamma = data.at("gamma");
  if (const Json& horizon = data.at("horizon"); !horizon.is_null()) comparison.data.horizon = whole_from(horizon);
  comparison.level = optional_number_from(json.at("level"));
  for (const Json& each : json.at("policies")) comparison.policies.push_back(policy_from(each));
  for (const Json& each : json.at("differences")) comparison.differences.push_back(pair_from(comparison, each));
  for (const Json& each : json.at("ranking")) comparison.ranking.push_back(place_of(comparison, each));
  for (const Json& group : json.at("not_told_apart")) {
    std::vector<std::size_t> places;
    for (const Json& each : group) places.push_back(place_of(comparison, each));
    comparison.not_told_apart.push_back(std::move(places));
  }
  return comparison;
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  const Evaluation::Data& data = comparison.data;
  Json json{{"schema", comparison_document.schema}};
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

Comparison comparison_from_json(std::string_view text, const std::string& source) {
  return read_document(comparison_document, text, source, comparison_from);
}

}  // namespace starope
