#include "starope/evaluate.hpp"

#include <type_traits>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

constexpr JsonDocument document{.schema = "starope.evaluate/1",
                                .code = "bad_evaluation",
                                .what = "an evaluation",
                                .remedy = "Write it with 'starope evaluate --json', or with --details for all charts"};

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"lower", json_number(interval->lower)},
          {"upper", json_number(interval->upper)},
          {"level", interval->level},
          {"method", interval->method}};
}

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

Json answer_json(const Answer& answer) {
  Json json{{"estimator", answer.estimator}};
  if (const auto* failure = std::get_if<Failure>(&answer.result)) {
    json["error"] = {{"code", failure->code}, {"message", failure->message}};
    json["findings"] = Json::array();
    return json;
  }
  const auto& estimate = std::get<Estimate>(answer.result);
  json["value"] = json_number(estimate.value);
  json["std_error"] = json_number(estimate.std_error);
  json["interval"] = interval_json(estimate.interval);
  json["ess"] = json_number(estimate.ess);
  json["findings"] = json_findings(estimate.findings);
  if (!estimate.details.empty()) json["details"] = details_json(estimate.details);
  if (!estimate.families.empty()) json["families"] = families_json(estimate.families);
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

std::optional<Interval> interval_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Interval interval;
  interval.lower = number_from(json.at("lower"));
  interval.upper = number_from(json.at("upper"));
  interval.level = json.at("level");
  interval.method = json.at("method");
  return interval;
}

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
