#include "starope/report/evaluation_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "starope/base/finding_catalog.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/answer_text.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/report.hpp"
#include "starope/report/behavior_figures.hpp"
#include "starope/report/chart_spec.hpp"
#include "starope/report/evidence_figures.hpp"

namespace starope {
namespace {

std::string cell_name(std::int64_t cell) {
  return "z" + std::to_string(cell);
}

Figure estimates(const Evaluation& all) {
  Figure figure{.id = "estimates",
                .title = "Estimates",
                .caption =
                    "What each estimator says the target policy would have earned: a point, and a line for its "
                    "confidence interval where it has one.",
                .open_table = true};
  figure.table.columns = {{"estimator"},   {"value", true}, {"standard error", true},
                          {"lower", true}, {"upper", true}, {"effective episodes", true},
                          {"error"}};
  const auto is_naive = [](const Answer& each) { return role_of(each.estimator) == EstimatorRole::uncorrected; };
  if (std::any_of(all.estimates.begin(), all.estimates.end(), is_naive))
    figure.caption += " (naive is what the logged policy earned.)";
  Json values = Json::array();
  for (const Answer& each : all.estimates) {
    if (const auto* failure = std::get_if<Failure>(&each.result)) {
      figure.table.rows.push_back({each.estimator, "", "", "", "", "", failure->message});
      continue;
    }
    const auto& estimate = std::get<Estimate>(each.result);
    std::optional<double> lower, upper;
    if (estimate.interval) {
      lower = estimate.interval->lower;
      upper = estimate.interval->upper;
    }
    figure.table.rows.push_back({each.estimator, short_number(estimate.value), short_number(estimate.std_error),
                                 short_number(lower), short_number(upper), short_number(estimate.ess), ""});
    values.push_back({{"estimator", each.estimator},
                      {"value", estimate.value},
                      {"lower", lower.value_or(estimate.value)},
                      {"upper", upper.value_or(estimate.value)}});
  }
  if (values.empty()) return figure;
  Chart chart{.title = "Value of the target policy",
              .description = fmt::format("Estimates of {} with confidence intervals.",
                                         counted(static_cast<std::int64_t>(values.size()), "estimator"))};
  const std::size_t rows = values.size();
  Json spec = chart_spec("estimates", chart.description, std::move(values));
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

Figure weights(const Evaluation& all) {
  Figure figure{.id = "weights",
                .title = "How many episodes carry the weights",
                .caption =
                    "The effective sample size of the importance weights of whole episodes after each step: how "
                    "many equally weighted episodes would say as much. Below ten or so, estimators that weigh "
                    "whole episodes cannot be trusted."};
  figure.table.columns = {{"step", true}, {"effective episodes", true}};
  Json values = Json::array();
  for (std::size_t t = 0; t < all.ess_by_step.size(); ++t) {
    figure.table.rows.push_back({std::to_string(t + 1), short_number(all.ess_by_step[t])});
    values.push_back({{"t", t + 1}, {"ess", all.ess_by_step[t]}});
  }
  Chart chart{
      .title = "Effective sample size by step",
      .description = fmt::format("Effective sample size of {} by step: from {} after the first step to {} at the end.",
                                 counted(all.data.episodes, "episode"), short_number(all.ess_by_step.front()),
                                 short_number(all.ess_by_step.back()))};
  Json spec = chart_spec("weights", chart.description, std::move(values));
  Json& line = spec.at("layer").at(0);
  line.at("mark").at("point") = figure.table.rows.size() < 60;
  line.at("encoding").at("y").at("scale").at("domainMax") = all.data.episodes;
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

std::string described(const CellView& cell) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : cell.features) parts.push_back(fmt::format("{} = {:.3g}", name, value));
  for (const auto& [id, share] : cell.ids) parts.push_back(fmt::format("state {} ({:.0f} %)", id, 100.0 * share));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Chart matrix_chart(const ProcessView& process) {
  Json values = Json::array();
  Json order = Json::array(), columns = Json::array();
  for (const CellView& cell : process.shown) {
    order.push_back(cell_name(cell.cell));
    columns.push_back(order.back());
    if (cell.exit > 0.0) values.push_back({{"from", order.back()}, {"to", "end"}, {"probability", cell.exit}});
  }
  columns.push_back("end");
  for (const MoveView& move : process.moves) {
    values.push_back({{"from", cell_name(move.from)}, {"to", cell_name(move.to)}, {"probability", move.probability}});
  }
  Chart chart{
      .title = "Transitions of the target policy",
      .description = fmt::format("Matrix of the probabilities with which the target policy moves between {} abstract "
                                 "states or ends the episode.",
                                 order.size())};
  Json spec = chart_spec("transitions", chart.description, std::move(values));
  spec.at("height") = std::max<std::size_t>(260, (order.size() > 16 ? 12 : 16) * order.size());
  Json &x = spec.at("encoding").at("x"), &y = spec.at("encoding").at("y");
  x.at("sort") = x.at("scale").at("domain") = std::move(columns);
  y.at("sort") = y.at("scale").at("domain") = std::move(order);
  chart.spec = dump(spec);
  return chart;
}

Chart values_chart(const ProcessView& process) {
  Json values = Json::array();
  for (const CellView& cell : process.shown) {
    values.push_back({{"cell", cell_name(cell.cell)},
                      {"value", cell.value},
                      {"visits", cell.visits},
                      {"share", cell.share},
                      {"what", described(cell)}});
  }
  Chart chart{
      .title = "Abstract states: value and visits",
      .description = fmt::format("The {} most visited abstract states: how often the target policy is there, and "
                                 "what it still earns from there on.",
                                 values.size())};
  chart.spec = dump(chart_spec("abstract_states", chart.description, std::move(values)));
  return chart;
}

Figure process_figure(const ProcessView& process, std::size_t index) {
  const std::size_t shown = process.shown.size();
  Figure figure{
      .id = fmt::format("process-{}", index),
      .title = fmt::format("The process behind {}", process.estimator),
      .caption = fmt::format(
          "The logs as an abstract reward process of the target policy over {}{}. Circles "
          "are as large as the state's share of the logged steps; the fuller the color of a square, the likelier the "
          "move.",
          counted(process.cells, "state"),
          shown < static_cast<std::size_t>(process.cells) ? fmt::format("; the {} that it visits most are shown", shown)
                                                          : ""),
      .columns = 2,
      .open_table = shown <= 16};
  figure.charts = {values_chart(process), matrix_chart(process)};
  figure.table.columns = {{"state"},        {"share of logs", true}, {"expected visits", true}, {"value", true},
                          {"reward", true}, {"ends", true},          {"starts", true},          {"looks like (mean)"}};
  for (const CellView& cell : process.shown) {
    figure.table.rows.push_back({cell_name(cell.cell), short_number(cell.share), short_number(cell.visits),
                                 short_number(cell.value), short_number(cell.reward), short_number(cell.exit),
                                 short_number(cell.start), described(cell)});
  }
  return figure;
}

// Each finding once, with all that it is about; one sentence for those that differ in numbers alone.
Figure findings(const Evaluation& all) {
  std::vector<std::vector<Finding>> groups;
  std::vector<std::string> about;
  const auto add = [&](const std::vector<Finding>& list, const std::string& name) {
    for (const Finding& each : list) {
      const auto same = [&](const auto& group) { return same_sentence(group.front(), each); };
      const auto known = std::find_if(groups.begin(), groups.end(), same);
      if (known == groups.end()) {
        groups.push_back({each});
        about.push_back(name);
      } else {
        known->push_back(each);
        about[known - groups.begin()] += ", " + name;
      }
    }
  };
  add(all.data.findings, "the data");
  for (const Answer& each : all.estimates) {
    if (const auto* estimate = std::get_if<Estimate>(&each.result)) add(estimate->findings, each.estimator);
  }
  for (const ReturnDistribution& each : all.distributions) add(each.findings, "returns by " + each.method);
  Figure figure{.id = "findings", .title = "Findings", .open_table = true};
  figure.table.columns = {{"severity"}, {"about"}, {"finding"}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Finding& first = groups[i].front();
    figure.table.rows.push_back(
        {name(first.severity), about[i], can_be_said(first) ? text(groups[i]) : sentence(first)});
  }
  return figure;
}

struct ValueText {
  std::string operator()(bool x) const { return x ? "yes" : "no"; }
  std::string operator()(double x) const { return short_number(x); }
  std::string operator()(const std::string& x) const { return x; }
  std::string operator()(const std::vector<double>& series) const {
    std::vector<std::string> parts;
    for (const double x : series) parts.push_back(short_number(x));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

// How an estimator that chooses came to its choice.
std::optional<Figure> reasons(const Answer& answer, std::size_t index) {
  const auto* estimate = std::get_if<Estimate>(&answer.result);
  if (estimate == nullptr || estimate->details.empty()) return std::nullopt;
  Figure figure{.id = fmt::format("reasons-{}", index),
                .title = fmt::format("How {} came to its answer", answer.estimator)};
  figure.table.columns = {{"what"}, {"value"}};
  for (const Detail& detail : estimate->details) {
    std::string words = detail.name;
    std::replace(words.begin(), words.end(), '_', ' ');
    figure.table.rows.push_back({words, std::visit(ValueText{}, detail.value)});
  }
  return figure;
}

// The families of an answer: where each lies, how far it is believed to be off, and how much it counts.
std::optional<Figure> families(const Answer& answer, std::size_t index) {
  const auto* estimate = std::get_if<Estimate>(&answer.result);
  if (estimate == nullptr || estimate->families.empty()) return std::nullopt;
  Figure figure{.id = fmt::format("families-{}", index),
                .title = fmt::format("The families behind {}", answer.estimator),
                .caption =
                    "What each family of models answers alone, with the error it is believed to have. The larger the "
                    "point, the more it counts; the line across is the answer. Next to it is the reason for the "
                    "weight.",
                .open_table = true};
  figure.table.columns = {{"family"}, {"value", true}, {"error", true}, {"weight", true}, {"decided by"}};
  Json values = Json::array();
  for (const FamilyAnswer& family : estimate->families) {
    figure.table.rows.push_back({family.family, short_number(family.value), short_number(family.error),
                                 short_number(family.weight), family.reason});
    values.push_back({{"family", family.family},
                      {"value", family.value},
                      {"lower", family.value - family.error},
                      {"upper", family.value + family.error},
                      {"weight", family.weight},
                      {"answer", estimate->value},
                      {"reason", family.reason}});
  }
  const std::size_t rows = values.size();
  Chart chart{.title = "Families of the answer",
              .description = fmt::format(
                  "Answers of {} families of models with their errors and weights; {} counts most, {}.", rows,
                  estimate->families.front().family, short_number(estimate->families.front().weight))};
  Json spec = chart_spec("families", chart.description, std::move(values));
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

std::string severity_of(Grade grade) {
  if (grade == Grade::supported) return "good";
  return grade == Grade::doubtful ? "warning" : "critical";
}

std::string data_sentence(const Evaluation::Data& data) {
  std::string text = counted(data.episodes, "logged episode");
  if (data.truncated != 0) {
    text += fmt::format(" ({} of them cut off before they ended)", with_thousands(data.truncated));
  }
  text += fmt::format(" with {}; discount {}", counted(data.steps, "step"), short_number(data.gamma));
  if (data.horizon) text += fmt::format(", horizon {}", *data.horizon);
  return text +
         fmt::format(". The weights of whole episodes are worth {} equally weighted ones.", short_number(data.ess));
}

}  // namespace

// The answer, evidence for and against it, the data, details: in this order.
Page evaluation_page(const Evaluation& evaluation) {
  const std::string& file = evaluation.data.file;
  Page page{.title = "Evaluation of " + (file.empty() ? "logged episodes" : file)};
  const AnswerSentences answer = answer_sentences(evaluation);
  page.notes_first = answer.verdict_first;
  for (const std::string& sentence : {answer.value, answer.difference}) {
    if (!sentence.empty()) page.answer.push_back(sentence);
  }
  if (evaluation.verdict) {
    page.notes.push_back(
        {.severity = severity_of(evaluation.verdict->grade), .text = answer.reasons, .label = answer.grade});
  }
  // What is wrong with the logs comes before any answer that is made of them.
  for (const Finding& each : evaluation.data.findings) {
    if (each.severity != Severity::info)
      page.notes.push_back({.severity = name(each.severity), .text = can_be_said(each) ? text(each) : sentence(each)});
  }
  page.lead.emplace_back("What would the target policy have earned, how sure are we, and can we trust that answer?");
  page.lead.push_back(data_sentence(evaluation.data));
  const auto add = [&](std::optional<Figure> figure) {
    if (figure) page.figures.push_back(*std::move(figure));
  };
  add(estimates(evaluation));
  add(groups_figure(evaluation));
  add(risk_figure(evaluation));
  for (Figure& figure : behavior_figures(evaluation)) page.figures.push_back(std::move(figure));
  for (const Answer& each : evaluation.estimates) {
    add(families(each, page.figures.size()));
    add(ladder_figure(each, page.figures.size()));
    add(doubts_figure(each, page.figures.size()));
  }
  if (Figure figure = findings(evaluation); !figure.table.rows.empty()) add(std::move(figure));
  if (evaluation.ess_by_step.size() > 1) add(weights(evaluation));
  for (const Answer& each : evaluation.estimates) add(reasons(each, page.figures.size()));
  for (const ProcessView& process : evaluation.processes) {
    if (!process.shown.empty()) add(process_figure(process, page.figures.size()));
  }
  return page;
}

std::string evaluation_report(const Evaluation& evaluation) {
  return page_html(evaluation_page(evaluation));
}

}  // namespace starope
