#include <algorithm>
#include <utility>

#include "starope/compare.hpp"
#include "starope/evaluate/answer_json.hpp"
#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

constexpr JsonDocument document{.schema = "starope.compare/1",
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

// Members are read one by one: g++ 12 destroys an aggregate twice where a member's initializer throws.

ComparedPolicy policy_from(const Json& json) {
  ComparedPolicy policy;
  policy.policy = json.at("policy");
  policy.answer = answer_from(json);
  if (const Json& verdict = json.at("verdict"); !verdict.is_null()) policy.verdict = verdict_from(verdict);
  if (const Json& rank = json.at("rank"); !rank.is_null()) policy.rank = whole_from(rank);
  policy.probability_best = optional_number_from(json.at("probability_best"));
  return policy;
}

class ComparisonReader {
 public:
  explicit ComparisonReader(const std::string& source) : source_(source) {}

  Comparison read(const Json& json) {
    const Json& data = json.at("data");
    result_.data.file = data.at("file");
    result_.data.episodes = whole_from(data.at("episodes"));
    result_.data.steps = whole_from(data.at("steps"));
    result_.data.truncated = whole_from(data.at("truncated"));
    result_.data.gamma = data.at("gamma");
    if (const Json& horizon = data.at("horizon"); !horizon.is_null()) result_.data.horizon = whole_from(horizon);
    result_.level = optional_number_from(json.at("level"));
    for (const Json& each : json.at("policies")) result_.policies.push_back(policy_from(each));
    for (const Json& each : json.at("differences")) result_.differences.push_back(difference(each));
    for (const Json& each : json.at("ranking")) result_.ranking.push_back(place(each));
    for (const Json& group : json.at("not_told_apart")) {
      std::vector<std::size_t> places;
      for (const Json& each : group) places.push_back(place(each));
      result_.not_told_apart.push_back(std::move(places));
    }
    return std::move(result_);
  }

 private:
  std::size_t place(const Json& name) const {
    const auto& all = result_.policies;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ComparedPolicy& each) { return each.policy == name; });
    if (found == all.end()) refuse_document(document, source_, "names a policy that it does not hold");
    return static_cast<std::size_t>(found - all.begin());
  }

  PolicyDifference difference(Json json) const {
    PolicyDifference result;
    result.first = place(json.at("first"));
    result.second = place(json.at("second"));
    const auto* second = std::get_if<Estimate>(&result_.policies[result.second].answer.result);
    json["logged"] = {{"value", second == nullptr ? Json(nullptr) : json_number(second->value)},
                      {"std_error", second == nullptr ? Json(nullptr) : json_number(second->std_error)}};
    result.difference = difference_from(json);
    result.told_apart = json.at("told_apart");
    return result;
  }

  const std::string& source_;
  Comparison result_{};
};

}  // namespace

std::string to_json(const Comparison& comparison) {
  const Evaluation::Data& data = comparison.data;
  Json json{{"schema", document.schema}};
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
  return read_document(document, text, source, [&](const Json& json) { return ComparisonReader(source).read(json); });
}

}  // namespace starope
