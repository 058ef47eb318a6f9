#include "starope/inspect.hpp"

#include <utility>

#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

constexpr JsonDocument inspection_document{.schema = "starope.inspect/1",
                                           .code = "bad_inspection",
                                           .what = "an inspection",
                                           .remedy = "Write it with 'starope inspect --json'"};

Json range_json(const Inspection::Range& range) {
  return {{"min", json_number(range.min)}, {"mean", json_number(range.mean)}, {"max", json_number(range.max)}};
}

Json range_json(const std::optional<Inspection::Range>& range) {
  return range ? range_json(*range) : Json(nullptr);
}

Json span_json(const std::optional<Inspection::Span>& span) {
  return span ? Json{{"min", span->min}, {"max", span->max}} : Json(nullptr);
}

Json columns_json(const Inspection& inspection) {
  Json recognized = Json::array();
  for (const auto& column : inspection.recognized) recognized.push_back({{"name", column.name}, {"role", column.role}});
  return {{"recognized", std::move(recognized)}, {"ignored", inspection.ignored}};
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
                    {"target_mean_prob", json_number(action.target)},
                    {"possible", json_number(action.possible)},
                    {"possible_std_error", json_number(action.possible_std_error)}});
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
                    {"zero_share", at.zero_share},
                    {"top_share", at.top_share},
                    {"scores", json_number(at.scores)}});
  }
  return list;
}

Json clips_json(const Inspection& inspection) {
  Json list = Json::array();
  for (const auto& each : inspection.clips) {
    Json by_step = Json::array();
    for (std::size_t k = 0; k < each.by_step.size() && k < inspection.weights.size(); ++k)
      by_step.push_back({{"t", inspection.weights[k].t}, {"ess", json_number(each.by_step[k])}});
    list.push_back({{"clip", each.clip},
                    {"ess", json_number(each.ess)},
                    {"by_step", std::move(by_step)},
                    {"speaks_until", each.speaks_until}});
  }
  return list;
}

Json calibration_json(const std::vector<Inspection::Calibration>& table) {
  Json list = Json::array();
  for (const auto& row : table) {
    list.push_back({{"least", row.least},
                    {"most", row.most},
                    {"expected", row.expected},
                    {"observed", row.observed},
                    {"errors", json_number(row.errors)},
                    {"steps", row.steps}});
  }
  return list;
}

Json history_json(const std::optional<Inspection::History>& history) {
  if (!history) return nullptr;
  return {{"of", history->of},
          {"gain", history->gain},
          {"errors", json_number(history->errors)},
          {"steps", history->steps},
          {"matters", history->matters}};
}

// Members are read one by one: g++ 12 destroys an aggregate twice where a member's initializer throws.

Inspection::Range range_from(const Json& json) {
  Inspection::Range range;
  range.min = number_from(json.at("min"));
  range.mean = number_from(json.at("mean"));
  range.max = number_from(json.at("max"));
  return range;
}

std::optional<Inspection::Range> optional_range_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(range_from(json));
}

void read_columns(const Json& json, Inspection& into) {
  for (const Json& each : json.at("recognized")) {
    Inspection::Column column;
    column.name = each.at("name");
    column.role = each.at("role");
    into.recognized.push_back(std::move(column));
  }
  into.ignored = json.at("ignored").get<std::vector<std::string>>();
}

void read_ends(const Json& json, Inspection& into) {
  into.ends_logged = json.at("logged");
  into.truncated = whole_from(json.at("truncated"));
  into.final_states = whole_from(json.at("final_states"));
  if (const Json& lengths = member_or_null(json, "truncated_length"); !lengths.is_null()) {
    Inspection::Span span;
    span.min = whole_from(lengths.at("min"));
    span.max = whole_from(lengths.at("max"));
    into.truncated_lengths = span;
  }
}

void read_state(const Json& json, Inspection& into) {
  if (json.is_null()) return;
  if (json.at("kind") == "discrete") {
    Inspection::DiscreteState state;
    state.distinct = whole_from(json.at("distinct"));
    state.visited_once = whole_from(json.at("visited_once"));
    state.smallest_id = whole_from(json.at("smallest_id"));
    state.largest_id = whole_from(json.at("largest_id"));
    into.discrete_state = state;
    return;
  }
  for (const Json& each : json.at("features")) {
    Inspection::Feature feature;
    feature.name = each.at("name");
    feature.range = range_from(each);
    into.features.push_back(std::move(feature));
  }
}

void read_action(const Json& json, Inspection& into) {
  if (json.is_null()) return;
  if (json.at("kind") == "continuous") {
    into.action_dimension = whole_from(json.at("dimension"));
    return;
  }
  for (const Json& each : json.at("actions")) {
    Inspection::Action action;
    action.id = static_cast<std::int32_t>(whole_from(each.at("action")));
    action.count = whole_from(each.at("count"));
    action.behavior = optional_number_from(each.at("behavior_mean_prob"));
    action.target = optional_number_from(each.at("target_mean_prob"));
    action.possible = optional_number_from(member_or_null(each, "possible"));
    action.possible_std_error = optional_number_from(member_or_null(each, "possible_std_error"));
    into.actions.push_back(action);
  }
}

void read_weights(const Json& json, Inspection& into) {
  if (const Json& ratio = json.at("ratio"); !ratio.is_null()) {
    Inspection::Ratios ratios;
    ratios.range = range_from(ratio);
    ratios.std_error = optional_number_from(ratio.at("std_error"));
    ratios.zero_share = ratio.at("zero_share");
    into.ratios = ratios;
  }
  for (const Json& each : json.at("weights")) {
    WeightsAt at;
    at.t = whole_from(each.at("t"));
    at.mean = number_from(each.at("mean"));
    at.std_error = number_from(each.at("std_error"));
    at.ess = number_from(each.at("ess"));
    at.largest_share = each.at("largest_share");
    at.zero_share = each.at("zero_share");
    at.top_share = optional_number_from(member_or_null(each, "top_share")).value_or(0.0);
    at.scores = optional_number_from(member_or_null(each, "scores")).value_or(0.0);
    into.weights.push_back(at);
  }
  if (const Json& step = member_or_null(json, "weights_fail_at"); !step.is_null()) {
    into.weights_fail_at = whole_from(step);
  }
}

// What files of earlier releases do not have.
void read_looks(const Json& json, Inspection& into) {
  for (const Json& each : member_or_null(json, "clips")) {
    Inspection::ClippedWeights clip;
    clip.clip = whole_from(each.at("clip"));
    clip.ess = number_from(each.at("ess"));
    for (const Json& step : each.at("by_step")) clip.by_step.push_back(number_from(step.at("ess")));
    clip.speaks_until = whole_from(each.at("speaks_until"));
    into.clips.push_back(std::move(clip));
  }
  for (const Json& each : member_or_null(json, "calibration")) {
    Inspection::Calibration row;
    row.least = number_from(each.at("least"));
    row.most = number_from(each.at("most"));
    row.expected = number_from(each.at("expected"));
    row.observed = number_from(each.at("observed"));
    row.errors = number_from(each.at("errors"));
    row.steps = whole_from(each.at("steps"));
    into.calibration.push_back(row);
  }
  if (const Json& history = member_or_null(json, "history"); !history.is_null()) {
    Inspection::History read;
    read.of = history.at("of");
    read.gain = number_from(history.at("gain"));
    read.errors = number_from(history.at("errors"));
    read.steps = whole_from(history.at("steps"));
    read.matters = history.at("matters");
    into.history = std::move(read);
  }
}

Inspection inspection_from(const Json& json) {
  Inspection inspection;
  inspection.file = json.at("file");
  read_columns(json.at("columns"), inspection);
  inspection.episodes = whole_from(json.at("episodes"));
  inspection.steps = whole_from(json.at("steps"));
  const Json& lengths = json.at("length");
  inspection.lengths.min = whole_from(lengths.at("min"));
  inspection.lengths.median = lengths.at("median");
  inspection.lengths.mean = lengths.at("mean");
  inspection.lengths.max = whole_from(lengths.at("max"));
  read_ends(json.at("ends"), inspection);
  read_state(json.at("state"), inspection);
  read_action(json.at("action"), inspection);
  inspection.rewards = range_from(json.at("reward"));
  inspection.zero_rewards = json.at("reward").at("zero_share");
  inspection.returns = range_from(json.at("return"));
  inspection.return_deviation = number_from(json.at("return").at("std_dev"));
  inspection.gamma = json.at("return").at("gamma");
  inspection.behavior_probability = optional_range_from(json.at("behavior_prob"));
  inspection.target_probability = optional_range_from(json.at("target_prob"));
  inspection.unsupported_target = optional_number_from(json.at("unsupported_target"));
  read_weights(json, inspection);
  read_looks(json, inspection);
  inspection.findings = findings_from(json.at("findings"));
  return inspection;
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json json{{"schema", inspection_document.schema}, {"file", inspection.file}};
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
                  {"truncated_length", span_json(inspection.truncated_lengths)},
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
  json["weights_fail_at"] = inspection.weights_fail_at ? Json(*inspection.weights_fail_at) : Json(nullptr);
  json["clips"] = clips_json(inspection);
  json["calibration"] = calibration_json(inspection.calibration);
  json["history"] = history_json(inspection.history);
  json["findings"] = json_findings(inspection.findings);
  return json_text(json);
}

Inspection inspection_from_json(std::string_view text, const std::string& source) {
  return read_document(inspection_document, text, source, inspection_from);
}

}  // namespace starope
