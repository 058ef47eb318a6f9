#include "starope/evaluate/evaluation_json.hpp"

#include <type_traits>

#include "starope/evaluate/json.hpp"

namespace starope {
namespace {

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

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  const Evaluation::Data& data = evaluation.data;
  Json json{{"schema", "starope.evaluate/1"}};
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

}  // namespace starope
