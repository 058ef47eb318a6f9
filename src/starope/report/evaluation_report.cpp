#include "starope/report/evaluation_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "starope/base/data_location.hpp"
#include "starope/base/error.hpp"
#include "starope/base/text.hpp"
#include "starope/report/chart_spec.hpp"

namespace starope {
namespace {

constexpr const char* strong_colour = "#d1495b";
constexpr const char* plain_colour = "#2f86c5";

std::string number(const Json& json) {
  return json.is_number() ? short_number(json.get<double>()) : "";
}

Figure estimates(const Json& all) {
  Figure figure{.id = "estimates",
                .title = "Estimates",
                .caption =
                    "What each estimator says the target policy would have earned: a point, and a line for its "
                    "confidence interval where it has one.",
                .open_table = true};
  figure.table.columns = {{"estimator"},   {"value", true}, {"standard error", true},
                          {"lower", true}, {"upper", true}, {"effective episodes", true},
                          {"error"}};
  Json values = Json::array();
  for (const Json& each : all.at("estimates")) {
    const std::string name = each.at("estimator");
    if (each.contains("error")) {
      figure.table.rows.push_back({name, "", "", "", "", "", each.at("error").at("message")});
      continue;
    }
    const Json interval = each.value("interval", Json());
    const Json lower = interval.is_object() ? interval.at("lower") : Json(),
               upper = interval.is_object() ? interval.at("upper") : Json();
    figure.table.rows.push_back({name, number(each.at("value")), number(each.value("std_error", Json())), number(lower),
                                 number(upper), number(each.value("ess", Json())), ""});
    const double value = each.at("value");
    values.push_back({{"estimator", name},
                      {"value", value},
                      {"lower", lower.is_number() ? lower : Json(value)},
                      {"upper", upper.is_number() ? upper : Json(value)}});
  }
  if (values.empty()) return figure;
  Chart chart{.title = "Value of the target policy",
              .description = fmt::format("Estimates of {} with confidence intervals.",
                                         counted(static_cast<std::int64_t>(values.size()), "estimator"))};
  const Json x{{"type", "quantitative"}, {"title", "value of the target policy"}, {"scale", {{"zero", false}}}};
  Json at_lower = x, at_value = x;
  at_lower["field"] = "lower";
  at_value["field"] = "value";
  const Json tips = tooltip({{"estimator", "estimator"}, {"value", "value"}, {"lower", "lower"}, {"upper", "upper"}});
  Json spec = base_spec(chart.description);
  spec["height"] = 26 * values.size();
  spec["data"] = {{"values", values}};
  spec["encoding"] = {{"y",
                       {{"field", "estimator"},
                        {"type", "nominal"},
                        {"sort", nullptr},
                        {"title", nullptr},
                        {"axis", {{"labelLimit", 210}, {"ticks", false}, {"domain", false}, {"grid", true}}}}},
                      {"tooltip", tips}};
  spec["layer"] = {
      Json{{"mark", {{"type", "rule"}, {"strokeWidth", 3}, {"color", plain_colour}, {"opacity", 0.55}}},
           {"encoding", {{"x", at_lower}, {"x2", {{"field", "upper"}}}}}},
      Json{{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}, {"opacity", 1}, {"color", strong_colour}}},
           {"encoding", {{"x", at_value}}}}};
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

Figure weights(const Json& all) {
  Figure figure{.id = "weights",
                .title = "How many episodes carry the weights",
                .caption =
                    "The effective sample size of the importance weights of whole episodes after each step: how "
                    "many equally weighted episodes would say as much. Below ten or so, estimators that weigh "
                    "whole episodes cannot be trusted."};
  figure.table.columns = {{"step", true}, {"effective episodes", true}};
  for (const Json& each : all.at("ess_by_step")) {
    figure.table.rows.push_back({std::to_string(each.at("t").get<std::int64_t>()), number(each.at("ess"))});
  }
  const double episodes = all.at("data").at("episodes");
  Chart chart{.title = "Effective sample size by step",
              .description = fmt::format(
                  "Effective sample size of {} by step: from {} after the first step to {} at the end.",
                  counted(static_cast<std::int64_t>(episodes), "episode"),
                  number(all.at("ess_by_step").front().at("ess")), number(all.at("ess_by_step").back().at("ess")))};
  Json spec = base_spec(chart.description);
  spec["height"] = 220;
  spec["data"] = {{"values", all.at("ess_by_step")}};
  spec["layer"] = {
      Json{
          {"mark",
           {{"type", "line"}, {"color", plain_colour}, {"strokeWidth", 2.5}, {"point", figure.table.rows.size() < 60}}},
          {"encoding",
           {{"x",
             {{"field", "t"},
              {"type", "quantitative"},
              {"title", "steps"},
              {"axis", {{"tickMinStep", 1}, {"grid", false}}}}},
            {"y",
             {{"field", "ess"},
              {"type", "quantitative"},
              {"title", "effective episodes"},
              {"scale", {{"type", "log"}, {"domainMax", episodes}, {"domainMin", 1}, {"clamp", true}}},
              {"axis", {{"format", "~g"}, {"values", {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7}}}}}},
            {"tooltip", tooltip({{"t", "steps"}, {"ess", "effective episodes"}})}}}},
      Json{{"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}, {"color", strong_colour}}},
           {"encoding", {{"y", {{"datum", 10}}}}}}};
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

std::string described(const Json& cell) {
  std::vector<std::string> parts;
  for (const Json& each : cell.at("features")) {
    parts.push_back(fmt::format("{} = {:.3g}", each.at("name").get<std::string>(), each.at("value").get<double>()));
  }
  for (const Json& each : cell.at("ids")) {
    parts.push_back(
        fmt::format("state {} ({:.0f} %)", each.at("name").get<std::string>(), 100.0 * each.at("value").get<double>()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Chart matrix_chart(const Json& process) {
  Json values = Json::array();
  Json order = Json::array(), columns = Json::array();
  const auto name = [](const Json& cell) { return "z" + std::to_string(cell.get<std::int64_t>()); };
  for (const Json& cell : process.at("shown")) {
    order.push_back(name(cell.at("cell")));
    columns.push_back(order.back());
    if (cell.at("exit").get<double>() > 0.0) {
      values.push_back({{"from", order.back()}, {"to", "end"}, {"probability", cell.at("exit")}});
    }
  }
  columns.push_back("end");
  for (const Json& move : process.at("moves")) {
    values.push_back({{"from", name(move.at(0))}, {"to", name(move.at(1))}, {"probability", move.at(2)}});
  }
  Chart chart{
      .title = "Transitions of the target policy",
      .description = fmt::format("Matrix of the probabilities with which the target policy moves between {} abstract "
                                 "states or ends the episode.",
                                 order.size())};
  Json spec = base_spec(chart.description);
  spec["height"] = std::max<std::size_t>(260, (order.size() > 16 ? 12 : 16) * order.size());
  spec["data"] = {{"values", values}};
  spec["mark"] = {{"type", "rect"}, {"color", plain_colour}};
  spec["encoding"] = {
      {"x",
       {{"field", "to"},
        {"type", "nominal"},
        {"title", "to"},
        {"sort", columns},
        {"scale", {{"domain", columns}}},
        {"axis", {{"orient", "top"}, {"labelAngle", 0}, {"labelOverlap", true}}}}},
      {"y",
       {{"field", "from"}, {"type", "nominal"}, {"title", "from"}, {"sort", order}, {"scale", {{"domain", order}}}}},
      // By opacity, not by lightness: none is the paper, whatever colour that has.
      {"opacity",
       {{"field", "probability"},
        {"type", "quantitative"},
        {"title", "probability"},
        {"scale", {{"type", "sqrt"}, {"domain", {0, 1}}, {"range", {0, 1}}}},
        {"legend", nullptr}}},
      {"tooltip", tooltip({{"from", "from"}, {"to", "to"}, {"probability", "probability"}})}};
  chart.spec = dump(spec);
  return chart;
}

Chart values_chart(const Json& process) {
  Json values = Json::array();
  for (const Json& cell : process.at("shown")) {
    values.push_back({{"cell", "z" + std::to_string(cell.at("cell").get<std::int64_t>())},
                      {"value", cell.at("value")},
                      {"visits", cell.at("visits")},
                      {"share", cell.at("share")},
                      {"what", described(cell)}});
  }
  Chart chart{
      .title = "Abstract states: value and visits",
      .description = fmt::format("The {} most visited abstract states: how often the target policy is there, and "
                                 "what it still earns from there on.",
                                 values.size())};
  Json spec = base_spec(chart.description);
  spec["height"] = 260;
  spec["data"] = {{"values", values}};
  spec["encoding"] = {
      {"x", {{"field", "visits"}, {"type", "quantitative"}, {"title", "expected visits per episode"}}},
      {"y",
       {{"field", "value"}, {"type", "quantitative"}, {"title", "value still to come"}, {"scale", {{"zero", false}}}}},
      {"tooltip", tooltip({{"cell", "state"},
                           {"value", "value"},
                           {"visits", "visits"},
                           {"share", "share of the logs"},
                           {"what", "looks like"}})}};
  spec["layer"] = {
      Json{
          {"mark", {{"type", "circle"}, {"opacity", 0.7}, {"color", plain_colour}}},
          {"encoding",
           {{"size",
             {{"field", "share"}, {"type", "quantitative"}, {"legend", nullptr}, {"scale", {{"range", {30, 500}}}}}}}}},
      Json{{"mark", {{"type", "text"}, {"dy", -11}, {"fontSize", 10}}}, {"encoding", {{"text", {{"field", "cell"}}}}}}};
  chart.spec = dump(spec);
  return chart;
}

Figure process_figure(const Json& process, std::size_t index) {
  const std::string name = process.at("estimator");
  const auto cells = process.at("cells").get<std::int64_t>();
  const std::size_t shown = process.at("shown").size();
  Figure figure{
      .id = fmt::format("process-{}", index),
      .title = fmt::format("The process behind {}", name),
      .caption = fmt::format(
          "The logs as an abstract reward process of the target policy over {}{}. Circles "
          "are as large as the state's share of the logged steps; the fuller the colour of a square, the likelier the "
          "move.",
          counted(cells, "state"),
          shown < static_cast<std::size_t>(cells) ? fmt::format("; the {} that it visits most are shown", shown) : ""),
      .columns = 2,
      .open_table = shown <= 16};
  figure.charts = {values_chart(process), matrix_chart(process)};
  figure.table.columns = {{"state"},        {"share of logs", true}, {"expected visits", true}, {"value", true},
                          {"reward", true}, {"ends", true},          {"starts", true},          {"looks like (mean)"}};
  for (const Json& cell : process.at("shown")) {
    figure.table.rows.push_back({"z" + std::to_string(cell.at("cell").get<std::int64_t>()), number(cell.at("share")),
                                 number(cell.at("visits")), number(cell.at("value")), number(cell.at("reward")),
                                 number(cell.at("exit")), number(cell.at("start")), described(cell)});
  }
  return figure;
}

// Each finding once, with everybody it is about.
Figure findings(const Json& all) {
  Figure figure{.id = "findings", .title = "Findings", .open_table = true};
  figure.table.columns = {{"severity"}, {"about"}, {"finding"}};
  auto& rows = figure.table.rows;
  const auto add = [&](const Json& list, const std::string& about) {
    for (const Json& each : list) {
      const std::string severity = each.at("severity"), message = each.at("message");
      const auto known = std::find_if(rows.begin(), rows.end(),
                                      [&](const auto& row) { return row[0] == severity && row[2] == message; });
      if (known == rows.end()) {
        rows.push_back({severity, about, message});
      } else {
        (*known)[1] += ", " + about;
      }
    }
  };
  add(all.at("data").value("findings", Json::array()), "the data");
  for (const Json& each : all.at("estimates")) add(each.value("findings", Json::array()), each.at("estimator"));
  return figure;
}

std::string value_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return number(value);
  std::vector<std::string> parts;
  for (const Json& each : value) parts.push_back(value_text(each));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// How an estimator that chooses came to its choice.
std::optional<Figure> reasons(const Json& estimate, std::size_t index) {
  const Json details = estimate.value("details", Json::object());
  if (!details.is_object() || details.empty()) return std::nullopt;
  Figure figure{.id = fmt::format("reasons-{}", index),
                .title = fmt::format("How {} came to its answer", estimate.at("estimator").get<std::string>())};
  figure.table.columns = {{"what"}, {"value"}};
  for (const auto& [name, value] : details.items()) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    figure.table.rows.push_back({words, value_text(value)});
  }
  return figure;
}

std::string data_sentence(const Json& data) {
  std::string text = counted(data.at("episodes").get<std::int64_t>(), "logged episode");
  if (data.contains("truncated") && data.at("truncated") != 0) {
    text += fmt::format(" ({} of them cut off before they ended)",
                        with_thousands(data.at("truncated").get<std::int64_t>()));
  }
  text += fmt::format(" with {}", counted(data.at("steps").get<std::int64_t>(), "step"));
  text += fmt::format("; discount {}", number(data.at("gamma")));
  const Json horizon = data.value("horizon", Json());
  if (horizon.is_number()) text += fmt::format(", horizon {}", horizon.get<std::int64_t>());
  return text +
         fmt::format(". The weights of whole episodes are worth {} equally weighted ones.", number(data.at("ess")));
}

Page page_of(const Json& json) {
  const Json& data = json.at("data");
  Page page{.title = "Evaluation of " + data.value("file", std::string("logged episodes"))};
  page.lead.push_back("What would the target policy have earned, how sure are we, and may we trust that answer?");
  page.lead.push_back(data_sentence(data));
  page.figures.push_back(estimates(json));
  if (Figure figure = findings(json); !figure.table.rows.empty()) page.figures.push_back(std::move(figure));
  for (const Json& each : json.at("estimates")) {
    if (auto figure = reasons(each, page.figures.size())) page.figures.push_back(std::move(*figure));
  }
  if (json.contains("ess_by_step") && json.at("ess_by_step").size() > 1) page.figures.push_back(weights(json));
  if (json.contains("processes")) {
    for (const Json& process : json.at("processes")) {
      if (!process.at("shown").empty()) page.figures.push_back(process_figure(process, page.figures.size()));
    }
  }
  return page;
}

}  // namespace

Page evaluation_page(std::string_view text, const std::string& file) {
  const auto wrong = [&](const std::string& rule) {
    return DataError({.code = "bad_evaluation",
                      .at = in_file(file),
                      .value = {},
                      .rule = rule,
                      .remedy = "Write it with 'starope evaluate --json', or with --details for all charts"});
  };
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || json.value("schema", "") != "starope.evaluate/1") {
      throw wrong("a report is made of an evaluation (schema starope.evaluate/1) or of a study");
    }
    return page_of(json);
  } catch (const Json::exception& error) {
    throw wrong(fmt::format("must be an evaluation as starope writes it ({})", error.what()));
  }
}

std::string evaluation_report(std::string_view json, const std::string& file) {
  return page_html(evaluation_page(json, file));
}

}  // namespace starope
