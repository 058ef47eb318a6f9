#include "starope/evaluate.hpp"

#include <algorithm>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/answer_json.hpp"
#include "starope/evaluate/behavior_view.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/evaluate/risk_view.hpp"

namespace starope {
namespace {

constexpr JsonDocument document{.schema = "starope.evaluate/1",
                                .code = "bad_evaluation",
                                .what = "an evaluation",
                                .remedy = "Write it with 'starope evaluate --json', or with --details for all charts"};

// `compared`: with the logged policy. A group without episodes has no value: a zero would be read as one.
Json groups_json(const std::vector<GroupAnswer>& groups, bool compared) {
  Json json = Json::array();
  for (const GroupAnswer& group : groups) {
    const bool any = group.episodes > 0;
    json.push_back({{"group", group.group},
                    {"episodes", group.episodes},
                    {"too_few", group.too_few},
                    {"value", any ? json_number(group.value) : Json(nullptr)},
                    {"std_error", json_number(group.std_error)},
                    {"interval", interval_json(group.interval)},
                    {"difference", compared && any ? difference_json(group.difference) : Json(nullptr)}});
  }
  return json;
}

Json named_numbers(const std::vector<std::pair<std::string, double>>& pairs) {
  Json list = Json::array();
  for (const auto& [name, value] : pairs) list.push_back({{"name", name}, {"value", value}});
  return list;
}

Json process_json(const ProcessView& view) {
  Json json{{"estimator", view.estimator}, {"cells", view.cells}};
  json["shown"] = Json::array();
  for (const CellView& cell : view.shown) {
    json["shown"].push_back({{"cell", cell.cell},
                             {"share", cell.share},
                             {"visits", cell.visits},
                             {"value", cell.value},
                             {"reward", cell.reward},
                             {"exit", cell.exit},
                             {"start", cell.start},
                             {"features", named_numbers(cell.features)},
                             {"ids", named_numbers(cell.ids)}});
  }
  json["moves"] = Json::array();
  for (const MoveView& move : view.moves) json["moves"].push_back({move.from, move.to, move.probability});
  return json;
}

// Members are read one by one: g++ 12 destroys an aggregate twice where a member's initializer throws.

std::vector<GroupAnswer> groups_from(const Json& json) {
  std::vector<GroupAnswer> groups;
  for (const Json& each : json) {
    GroupAnswer group;
    group.group = each.at("group");
    group.episodes = whole_from(each.at("episodes"));
    group.too_few = each.at("too_few");
    group.value = number_from(each.at("value"));
    group.std_error = optional_number_from(each.at("std_error"));
    group.interval = interval_from(each.at("interval"));
    if (const Json& difference = each.at("difference"); !difference.is_null())
      group.difference = difference_from(difference);
    groups.push_back(std::move(group));
  }
  return groups;
}

Evaluation::Data data_from(const Json& json) {
  Evaluation::Data data;
  if (const Json& file = member_or_null(json, "file"); !file.is_null()) data.file = file;
  data.episodes = whole_from(json.at("episodes"));
  data.steps = whole_from(json.at("steps"));
  if (const Json& truncated = member_or_null(json, "truncated"); !truncated.is_null())
    data.truncated = whole_from(truncated);
  data.gamma = json.at("gamma");
  if (const Json& horizon = member_or_null(json, "horizon"); !horizon.is_null()) data.horizon = whole_from(horizon);
  data.ess = number_from(json.at("ess"));
  data.findings = findings_from(member_or_null(json, "findings"));
  return data;
}

std::vector<std::pair<std::string, double>> named_numbers_from(const Json& json) {
  std::vector<std::pair<std::string, double>> pairs;
  for (const Json& each : json) pairs.emplace_back(each.at("name"), number_from(each.at("value")));
  return pairs;
}

ProcessView process_from(const Json& json) {
  ProcessView view;
  view.estimator = json.at("estimator");
  view.cells = whole_from(json.at("cells"));
  for (const Json& each : json.at("shown")) {
    CellView cell;
    cell.cell = whole_from(each.at("cell"));
    cell.share = number_from(each.at("share"));
    cell.visits = number_from(each.at("visits"));
    cell.value = number_from(each.at("value"));
    cell.reward = number_from(each.at("reward"));
    cell.exit = number_from(each.at("exit"));
    cell.start = number_from(each.at("start"));
    cell.features = named_numbers_from(each.at("features"));
    cell.ids = named_numbers_from(each.at("ids"));
    view.shown.push_back(std::move(cell));
  }
  for (const Json& move : json.at("moves")) {
    const std::int64_t from = whole_from(move.at(0)), to = whole_from(move.at(1));
    const double probability = number_from(move.at(2));
    view.moves.push_back({.from = from, .to = to, .probability = probability});
  }
  return view;
}

Evaluation evaluation_from(const Json& json) {
  Evaluation evaluation;
  evaluation.data = data_from(json.at("data"));
  for (const Json& each : json.at("estimates")) {
    evaluation.estimates.push_back(answer_from(each));
    const auto* estimate = std::get_if<Estimate>(&evaluation.estimates.back().result);
    if (estimate != nullptr && estimate->interval) evaluation.level = estimate->interval->level;
  }
  if (const Json& answer = member_or_null(json, "answer"); !answer.is_null()) {
    const auto& all = evaluation.estimates;
    const auto same = [&](const Answer& each) { return each.estimator == answer.at("estimator"); };
    const auto found = std::find_if(all.begin(), all.end(), same);
    if (found != all.end()) evaluation.answer = static_cast<std::size_t>(found - all.begin());
  }
  if (const Json& difference = member_or_null(json, "difference"); !difference.is_null())
    evaluation.difference = difference_from(difference);
  if (const Json& verdict = member_or_null(json, "verdict"); !verdict.is_null())
    evaluation.verdict = verdict_from(verdict);
  if (const Json& by = member_or_null(json, "by"); !by.is_null()) evaluation.by = by;
  evaluation.groups = groups_from(member_or_null(json, "groups"));
  if (const Json& behavior = member_or_null(json, "behavior"); !behavior.is_null())
    evaluation.behavior = behavior_from(behavior);
  evaluation.distributions = distributions_from(member_or_null(json, "distributions"));
  for (const Json& each : member_or_null(json, "ess_by_step")) {
    evaluation.ess_by_step.push_back(number_from(each.at("ess")));
  }
  for (const Json& each : member_or_null(json, "processes")) evaluation.processes.push_back(process_from(each));
  return evaluation;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  const Evaluation::Data& data = evaluation.data;
  Json json{{"schema", document.schema}};
  if (evaluation.verdict) {
    const Estimate* const answer = answer_of(evaluation);
    json["answer"] = answer == nullptr
                         ? Json(nullptr)
                         : answer_summary_json(evaluation.estimates[*evaluation.answer].estimator, *answer);
    json["difference"] = evaluation.difference ? difference_json(*evaluation.difference) : Json(nullptr);
    json["verdict"] = verdict_json(*evaluation.verdict);
    if (!evaluation.by.empty()) {
      json["by"] = evaluation.by;
      json["groups"] = groups_json(evaluation.groups, evaluation.difference.has_value());
    }
  }
  json["data"] = {{"file", data.file},
                  {"episodes", data.episodes},
                  {"steps", data.steps},
                  {"terminated", data.episodes - data.truncated},
                  {"truncated", data.truncated},
                  {"gamma", data.gamma},
                  {"horizon", data.horizon ? Json(*data.horizon) : Json(nullptr)},
                  {"ess", json_number(data.ess)},
                  {"findings", json_findings(data.findings)}};
  json["estimates"] = Json::array();
  for (const Answer& answer : evaluation.estimates) json["estimates"].push_back(answer_json(answer));
  if (evaluation.behavior) json["behavior"] = behavior_json(*evaluation.behavior);
  if (!evaluation.distributions.empty()) json["distributions"] = distributions_json(evaluation.distributions);
  if (!evaluation.ess_by_step.empty()) {
    json["ess_by_step"] = Json::array();
    for (std::size_t t = 0; t < evaluation.ess_by_step.size(); ++t) {
      json["ess_by_step"].push_back({{"t", t + 1}, {"ess", json_number(evaluation.ess_by_step[t])}});
    }
  }
  if (!evaluation.processes.empty()) {
    json["processes"] = Json::array();
    for (const ProcessView& process : evaluation.processes) {
      json["processes"].push_back(process_json(process));
    }
  }
  return json_text(json);
}

Evaluation evaluation_from_json(std::string_view text, const std::string& source) {
  return read_document(document, text, source, evaluation_from);
}

}  // namespace starope
