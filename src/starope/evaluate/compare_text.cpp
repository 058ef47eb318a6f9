#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/compare.hpp"
#include "starope/evaluate/answer_text.hpp"
#include "starope/evaluate/comparison_sentences.hpp"
#include "starope/layout/layout.hpp"
#include "starope/layout/style.hpp"
#include "starope/layout/table.hpp"

namespace starope {
namespace {

const Estimate& estimate_of(const ComparedPolicy& policy) {
  return std::get<Estimate>(policy.answer.result);
}

std::string interval_shown(const std::optional<Interval>& interval, const std::optional<double>& std_error) {
  if (!interval) return {};
  return fmt::format("{} to {}", format_estimate(interval->lower, std_error),
                     format_estimate(interval->upper, std_error));
}

// Not where recordings were cut before the horizon: what it earns until then is not known.
bool logged_is_known(const Comparison& comparison) {
  return !comparison.policies.empty() && std::holds_alternative<Estimate>(comparison.policies.front().answer.result);
}

const PolicyDifference* from_logged(const Comparison& comparison, std::size_t place) {
  const auto found = std::find_if(comparison.differences.begin(), comparison.differences.end(),
                                  [&](const PolicyDifference& d) { return d.first == place && d.second == 0; });
  return found == comparison.differences.end() ? nullptr : &*found;
}

std::string best_lines(const Comparison& comparison, const TextStyle& style) {
  std::string lines;
  for (const std::string& sentence : comparison_sentences(comparison))
    lines += wrap_indented(sentence, style.width, "", "");
  return lines;
}

std::string policy_table(const Comparison& comparison, const TextStyle& style) {
  std::vector<TableColumn> columns = {{.title = "rank", .align = Align::right},
                                      {.title = "policy", .breakable = true},
                                      {.title = "value", .align = Align::decimal}};
  const std::string level = comparison.level ? fmt::format("{:.6g} % interval", 100.0 * *comparison.level) : "";
  if (comparison.level) columns.push_back({.title = level, .align = Align::right});
  const bool logged = logged_is_known(comparison);
  if (logged) columns.push_back({.title = "more than\nlogged", .align = Align::decimal});
  if (logged && comparison.level) columns.push_back({.title = level, .align = Align::right});
  columns.push_back({.title = "best with\nprobability", .align = Align::right});
  columns.push_back({.title = "verdict", .breakable = true});
  Table table(std::move(columns));
  for (const std::size_t place : comparison.ranking) {
    const ComparedPolicy& policy = comparison.policies[place];
    const Estimate& estimate = estimate_of(policy);
    const PolicyDifference* const more = from_logged(comparison, place);
    std::vector<std::string> cells = {fmt::format("{}", *policy.rank), policy.policy,
                                      format_estimate(estimate.value, estimate.std_error)};
    if (comparison.level) cells.push_back(interval_shown(estimate.interval, estimate.std_error));
    if (logged)
      cells.push_back(more == nullptr ? "" : format_estimate(more->difference.value, more->difference.std_error));
    if (logged && comparison.level)
      cells.push_back(more == nullptr ? "" : interval_shown(more->difference.interval, more->difference.std_error));
    cells.push_back(policy.probability_best ? probability_text(*policy.probability_best) : "");
    cells.push_back(policy.verdict ? words(policy.verdict->grade) : "");
    table.add_row(std::move(cells));
  }
  return table.render(style.width, 0, paint_begin(style, Emphasis::strong), paint_end(style));
}

std::string pair_table(const Comparison& comparison, const TextStyle& style) {
  std::vector<TableColumn> columns = {{.title = "pair", .breakable = true},
                                      {.title = "difference", .align = Align::decimal}};
  if (comparison.level)
    columns.push_back({.title = fmt::format("{:.6g} % interval", 100.0 * *comparison.level), .align = Align::right});
  columns.push_back({.title = "first better\nwith probability", .align = Align::right});
  columns.push_back({.title = "told apart"});
  Table table(std::move(columns));
  std::size_t rows = 0;
  for (const PolicyDifference& each : comparison.differences) {
    if (each.second == 0) continue;
    const Difference& difference = each.difference;
    std::vector<std::string> cells = {
        fmt::format("{} - {}", comparison.policies[each.first].policy, comparison.policies[each.second].policy),
        format_estimate(difference.value, difference.std_error)};
    if (comparison.level) cells.push_back(interval_shown(difference.interval, difference.std_error));
    cells.push_back(difference.probability_better ? probability_text(*difference.probability_better) : "");
    cells.emplace_back(each.told_apart ? "yes" : "no");
    table.add_row(std::move(cells));
    ++rows;
  }
  if (rows == 0) return {};
  return table.render(style.width, 0, paint_begin(style, Emphasis::strong), paint_end(style)) + '\n';
}

}  // namespace

std::string text(const Comparison& comparison, const TextStyle& style) {
  const Evaluation::Data& data = comparison.data;
  const std::string title =
      fmt::format("{}: {}, {}", data.file, counted(data.episodes, "episode"), counted(data.steps, "step"));
  std::string all = best_lines(comparison, style) + '\n';
  all += wrap_indented(paint(style, Emphasis::strong, title), style.width, "", "  ") + '\n';
  all += policy_table(comparison, style) + '\n' + pair_table(comparison, style);
  std::string held =
      comparison.level
          ? "Intervals of the values hold for all policies at once, those of the differences for all pairs. "
          : "";
  if (const auto note = behavior_note(comparison)) all += wrap_indented("Note: " + *note, style.width, "", "");
  if (logged_is_known(comparison)) held += "logged is what the logged policy earned.";
  return held.empty() ? all : all + wrap_indented(held, style.width, "", "");
}

}  // namespace starope
