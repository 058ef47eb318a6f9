#include "starope/report/evidence_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "starope/base/text.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/evaluate/risk_view.hpp"
#include "starope/report/chart_spec.hpp"

namespace starope {
namespace {

template <class Value>
const Value* find(const Estimate& estimate, std::string_view name) {
  for (const Detail& detail : estimate.details) {
    if (detail.name == name) return std::get_if<Value>(&detail.value);
  }
  return nullptr;
}

void add_interval(std::vector<std::string>& row, const std::optional<Interval>& interval, bool too_few) {
  row.push_back(too_few ? "too few" : short_number(interval ? std::optional(interval->lower) : std::nullopt));
  row.push_back(too_few ? "too few" : short_number(interval ? std::optional(interval->upper) : std::nullopt));
}

Json interval_datum(const std::string& name, double value, const std::optional<Interval>& interval,
                    const std::string& note) {
  return {{"name", name},
          {"value", value},
          {"lower", interval ? interval->lower : value},
          {"upper", interval ? interval->upper : value},
          {"note", note}};
}

// One thing that could move the answer.
struct Doubt {
  const char* detail;
  const char* std_error;  // the detail with the error of the shift; empty: none
  const char* name;
};
constexpr std::array doubts = std::to_array<Doubt>({
    {"markov_delta", "markov_delta_std_error", "a window of two ratios (cells)"},
    {"traces_delta", "", "a window of two ratios (traces)"},
    {"half_data_cells", "", "half of the episodes (cells)"},
    {"half_data_waves", "", "half of the episodes (waves)"},
    {"drift", "drift_std_error", "the two finest levels of cells"},
    {"finest_shift", "finest_shift_std_error", "the finest level of cells"},
});

// The text marks what is believed with ">", the table here has a column.
std::string without_mark(std::string sentence) {
  constexpr std::string_view mark = " (>)";
  if (const auto at = sentence.find(mark); at != std::string::npos) sentence.erase(at, mark.size());
  return sentence;
}

}  // namespace

std::optional<Figure> groups_figure(const Evaluation& evaluation) {
  if (evaluation.groups.empty()) return std::nullopt;
  const bool compared = evaluation.difference.has_value();  // with the logged policy, if its returns were recorded
  Figure figure{.id = "groups",
                .title = "For whom: by " + evaluation.by,
                .caption = std::string(compared ? "How much more the target policy earns than the logged one"
                                                : "What the target policy earns") +
                           ", by groups of episodes. Intervals hold for all groups at once; where episodes are too "
                           "few there is none.",
                .open_table = true};
  figure.table.columns = {{"group"},       {"episodes", true},         {"value", true}, {"lower", true},
                          {"upper", true}, {"more than logged", true}, {"from", true},  {"to", true}};
  if (!compared) figure.table.columns.resize(5);
  Json values = Json::array();
  for (const GroupAnswer& group : evaluation.groups) {
    const Difference& difference = group.difference;
    const auto if_any = [&](double x) { return group.episodes > 0 ? std::optional(x) : std::nullopt; };
    std::vector<std::string> row = {group.group, with_thousands(group.episodes), short_number(if_any(group.value))};
    add_interval(row, group.interval, group.too_few);
    if (compared) {
      row.push_back(short_number(if_any(difference.value)));
      add_interval(row, difference.interval, group.too_few);
    }
    figure.table.rows.push_back(std::move(row));
    if (group.episodes == 0) continue;
    values.push_back(interval_datum(group.group, difference.value, difference.interval,
                                    group.too_few ? "too few episodes" : counted(group.episodes, "episode")));
  }
  if (!compared) return figure;
  const std::size_t rows = values.size();
  Chart chart{.title = "Target minus logged policy, by group",
              .description = fmt::format("Differences from the logged policy of {} with intervals.",
                                         counted(static_cast<std::int64_t>(rows), "group"))};
  Json spec = chart_spec("differences", chart.description, std::move(values));
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

namespace {

// The distribution functions themselves, the one to believe drawn boldly.
Chart returns_chart(const std::vector<ReturnDistribution>& all) {
  Json values = Json::array();
  std::string believed = "none of them is to be believed";
  for (const ReturnDistribution& each : all) {
    for (std::size_t i = 0; i < each.points.size(); ++i) {
      values.push_back({{"method", each.method},
                        {"return", each.points[i]},
                        {"probability", each.cdf[i]},
                        {"place", i},
                        {"believed", each.believed}});
    }
    if (each.believed) believed = "the one to believe is " + each.method;
  }
  Chart chart{.title = "Distribution of the returns",
              .description = fmt::format("Distribution functions of the returns of single episodes, by {}; {}.",
                                         counted(static_cast<std::int64_t>(all.size()), "method"), believed)};
  chart.spec = dump(chart_spec("returns", chart.description, std::move(values)));
  return chart;
}

}  // namespace

std::optional<Figure> risk_figure(const Evaluation& evaluation) {
  const auto& all = evaluation.distributions;
  if (all.empty() || risk_labels(all.front()).empty()) return std::nullopt;
  Figure figure{.id = "risk",
                .title = "How badly an episode may go",
                .caption =
                    "Returns of single episodes: of the logged policy, and of the target policy by weighted "
                    "episodes (wis), by rollouts of an abstract process (arp), and by both (dr). " +
                    without_mark(belief(all)),
                .open_table = true};
  figure.table.columns = {{"asked"},       {"method"},      {"value", true},
                          {"lower", true}, {"upper", true}, {"effective episodes", true},
                          {"believed"}};
  const auto drawn = [](const ReturnDistribution& each) { return !each.points.empty(); };
  if (std::any_of(all.begin(), all.end(), drawn)) figure.charts.push_back(returns_chart(all));
  const std::vector<std::string> labels = risk_labels(all.front());
  for (std::size_t k = 0; k < labels.size(); ++k) {
    for (const ReturnDistribution& each : all) {
      std::vector<const RiskNumber*> numbers;
      for (const auto* const list : {&each.quantiles, &each.cvar, &each.below}) {
        for (const RiskNumber& one : *list) numbers.push_back(&one);
      }
      std::vector<std::string> row{labels[k], each.method, short_number(numbers[k]->value)};
      add_interval(row, numbers[k]->interval, false);
      row.push_back(short_number(numbers[k]->ess ? numbers[k]->ess : each.ess));
      row.emplace_back(each.believed ? "yes" : "");
      figure.table.rows.push_back(std::move(row));
    }
  }
  return figure;
}

std::optional<Figure> ladder_figure(const Answer& answer, std::size_t index) {
  const auto* estimate = std::get_if<Estimate>(&answer.result);
  if (estimate == nullptr) return std::nullopt;
  const auto* ladder = find<std::vector<double>>(*estimate, "ladder");
  const auto* values = find<std::vector<double>>(*estimate, "plain_of_level");
  if (ladder == nullptr || values == nullptr || ladder->size() != values->size() || ladder->size() < 2)
    return std::nullopt;
  Figure figure{.id = fmt::format("ladder-{}", index),
                .title = fmt::format("The ladder behind {}", answer.estimator),
                .caption =
                    "What single abstractions of each size answer on average, before they are coupled. A ladder "
                    "that has become flat says that finer cells would not answer differently; the line across "
                    "is the answer of all families."};
  figure.table.columns = {{"abstract states", true}, {"value", true}};
  Json data = Json::array();
  for (std::size_t i = 0; i < ladder->size(); ++i) {
    figure.table.rows.push_back({short_number((*ladder)[i]), short_number((*values)[i])});
    data.push_back({{"cells", (*ladder)[i]}, {"value", (*values)[i]}, {"answer", estimate->value}});
  }
  Chart chart{.title = "Value by size of the abstraction",
              .description = fmt::format("Value by the number of abstract states: {} with {} states, {} with {}.",
                                         short_number(values->front()), short_number(ladder->front()),
                                         short_number(values->back()), short_number(ladder->back()))};
  chart.spec = dump(chart_spec("ladder", chart.description, std::move(data)));
  figure.charts.push_back(std::move(chart));
  return figure;
}

std::optional<Figure> doubts_figure(const Answer& answer, std::size_t index) {
  const auto* estimate = std::get_if<Estimate>(&answer.result);
  if (estimate == nullptr) return std::nullopt;
  Figure figure{.id = fmt::format("doubts-{}", index),
                .title = "What could move the answer",
                .caption =
                    "How far the answer of a part of the models moves if they look at more of the past, at half of "
                    "the episodes, or more closely. Lines are two standard errors, where these are known."};
  figure.table.columns = {{"what"}, {"shift", true}, {"standard error", true}};
  Json data = Json::array();
  for (const Doubt& doubt : doubts) {
    const auto* shift = find<double>(*estimate, doubt.detail);
    if (shift == nullptr || !std::isfinite(*shift)) continue;
    const auto* error = find<double>(*estimate, doubt.std_error);
    std::optional<Interval> interval;
    if (error != nullptr && std::isfinite(*error))
      interval = Interval{.lower = *shift - 2.0 * *error, .upper = *shift + 2.0 * *error};
    figure.table.rows.push_back(
        {doubt.name, short_number(*shift), short_number(error == nullptr ? std::nullopt : std::optional(*error))});
    data.push_back(interval_datum(doubt.name, *shift, interval, ""));
  }
  if (data.empty()) return std::nullopt;
  const std::size_t rows = data.size();
  Chart chart{
      .title = "Shift of the answer",
      .description = fmt::format("Shifts of the answer under {}.", counted(static_cast<std::int64_t>(rows), "change"))};
  Json spec = chart_spec("differences", chart.description, std::move(data));
  spec.at("encoding").at("x").at("title") = "shift";
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace starope
