#include "starope/evaluate/inspection_json.hpp"

#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

Json range_json(const Inspection::Range& range) {
  return {{"min", json_number(range.min)}, {"mean", json_number(range.mean)}, {"max", json_number(range.max)}};
}

Json range_json(const std::optional<Inspection::Range>& range) {
  return range ? range_json(*range) : Json(nullptr);
}

Json columns_json(const Inspection& inspection) {
  Json recognised = Json::array();
  for (const auto& column : inspection.recognised) recognised.push_back({{"name", column.name}, {"role", column.role}});
  return {{"recognised", std::move(recognised)}, {"ignored", inspection.ignored}};
}

Json state_json(const Inspection& inspection) {
  if (const auto& discrete = inspection.discrete_state) {
    return {{"kind", "discrete"},
            {"distinct", discrete->distinct},
            {"visited_once", discrete->visited_once},
            {"smallest_id", discrete->smallest_id},
            {"largest_id", discrete->largest_id}};
  }
  if (inspection.features.empty()) return nullptr;
  Json features = Json::array();
  for (const auto& feature : inspection.features) {
    Json json{{"name", feature.name}};
    json.update(range_json(feature.range));
    features.push_back(std::move(json));
  }
  return {{"kind", "continuous"}, {"dimension", inspection.features.size()}, {"features", std::move(features)}};
}

Json action_json(const Inspection& inspection) {
  if (inspection.action_dimension) return {{"kind", "continuous"}, {"dimension", *inspection.action_dimension}};
  if (inspection.actions.empty()) return nullptr;
  Json list = Json::array();
  for (const auto& action : inspection.actions) {
    list.push_back({{"action", action.id},
                    {"count", action.count},
                    {"share", static_cast<double>(action.count) / static_cast<double>(inspection.steps)},
                    {"behavior_mean_prob", json_number(action.behavior)},
                    {"target_mean_prob", json_number(action.target)}});
  }
  return {{"kind", "discrete"}, {"count", inspection.actions.size()}, {"actions", std::move(list)}};
}

Json ratio_json(const std::optional<Inspection::Ratios>& ratios) {
  if (!ratios) return nullptr;
  Json json = range_json(ratios->range);
  json["std_error"] = json_number(ratios->std_error);
  json["zero_share"] = ratios->zero_share;
  return json;
}

Json weights_json(const std::vector<WeightsAt>& weights) {
  Json list = Json::array();
  for (const WeightsAt& at : weights) {
    list.push_back({{"t", at.t},
                    {"mean", json_number(at.mean)},
                    {"std_error", json_number(at.std_error)},
                    {"ess", json_number(at.ess)},
                    {"largest_share", at.largest_share},
                    {"zero_share", at.zero_share}});
  }
  return list;
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json json{{"schema", "starope.inspect/1"}, {"file", inspection.file}};
  json["columns"] = columns_json(inspection);
  json["episodes"] = inspection.episodes;
  json["steps"] = inspection.steps;
  json["length"] = {{"min", inspection.lengths.min},
                    {"median", inspection.lengths.median},
                    {"mean", inspection.lengths.mean},
                    {"max", inspection.lengths.max}};
  json["ends"] = {{"logged", inspection.ends_logged},
                  {"terminated", inspection.episodes - inspection.truncated},
                  {"truncated", inspection.truncated},
                  {"final_states", inspection.final_states}};
  json["state"] = state_json(inspection);
  json["action"] = action_json(inspection);
  json["reward"] = range_json(inspection.rewards);
  json["reward"]["zero_share"] = inspection.zero_rewards;
  json["return"] = range_json(inspection.returns);
  json["return"]["std_dev"] = json_number(inspection.return_deviation);
  json["return"]["gamma"] = inspection.gamma;
  json["behavior_prob"] = range_json(inspection.behavior_probability);
  json["target_prob"] = range_json(inspection.target_probability);
  json["unsupported_target"] = json_number(inspection.unsupported_target);
  json["ratio"] = ratio_json(inspection.ratios);
  json["weights"] = weights_json(inspection.weights);
  json["findings"] = json_findings(inspection.findings);
  return json_text(json);
}

}  // namespace starope
