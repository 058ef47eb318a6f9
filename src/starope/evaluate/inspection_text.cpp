#include "starope/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/layout/layout.hpp"
#include "starope/layout/style.hpp"
#include "starope/layout/table.hpp"

namespace starope {
namespace {

constexpr std::size_t label_width = 16;
constexpr std::size_t most_features = 12;  // rows of a table that is still read
constexpr std::size_t most_actions = 30;

// Two significant digits of the error, and the same decimals of the number.
std::string with_error(double x, double std_error) {
  if (!(std_error > 0.0)) return format_number(x, 4);
  const int decimals = decimals_of(std_error);
  return fmt::format("{} +- {}", format_fixed(x, decimals), format_fixed(std_error, decimals));
}

// Rewards near the largest number add up to none.
std::string number_text(double x, int significant) {
  return std::isfinite(x) ? format_number(x, significant) : "too large for a number";
}

std::string range_text(const Inspection::Range& range, int significant) {
  if (range.min == range.max) return fmt::format("always {}", number_text(range.min, significant));
  return fmt::format("{} to {}, mean {}", number_text(range.min, significant), number_text(range.max, significant),
                     number_text(range.mean, significant));
}

class Writer {
 public:
  Writer(const Inspection& inspection, const TextStyle& style) : seen_(inspection), style_(style) {}

  std::string write() {
    title(fmt::format("{}: {}, {}", seen_.file, counted(seen_.episodes, "episode"), counted(seen_.steps, "step")));
    columns();
    overview();
    features();
    actions();
    calibration();
    weights();
    windows();
    findings();
    return std::move(text_);
  }

 private:
  void title(const std::string& text) {
    text_ += wrap_indented(paint(style_, Emphasis::strong, text), style_.width, "", "  ");
  }
  void section(const std::string& name) {
    text_ += '\n';
    title(name);
  }
  void line(const std::string& label, const std::string& text) {
    text_ += wrap_indented(text, style_.width, "  " + pad_right(label, label_width), std::string(label_width + 2, ' '));
  }
  void table(const Table& table) {
    text_ += '\n' + table.render(style_.width, 2, paint_begin(style_, Emphasis::strong), paint_end(style_));
  }

  void columns() {
    if (seen_.recognized.empty() && seen_.ignored.empty()) return;
    struct Role {
      std::string name{};
      std::vector<std::string> columns{};
    };
    std::vector<Role> roles;
    for (const auto& column : seen_.recognized) {
      const std::string name = without_number(column.role);
      if (roles.empty() || roles.back().name != name) roles.push_back({name, {}});
      roles.back().columns.push_back(column.name);
    }
    section("Columns");
    for (const Role& role : roles) line(role.name, shortened(role.columns));
    if (!seen_.ignored.empty()) line("ignored", shortened(seen_.ignored));
  }

  // state_0, state_1, ... are one thing.
  static std::string without_number(const std::string& role) {
    const std::size_t end = role.find_last_not_of("0123456789");
    return end + 1 < role.size() && role[end] == '_' ? role.substr(0, end) : role;
  }

  static std::string shortened(const std::vector<std::string>& names) {
    if (names.size() <= most_features) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, {}, ..., {} ({} columns)", names[0], names[1], names.back(), names.size());
  }

  void overview() {
    section("Episodes");
    line("length", fmt::format("{} to {} steps, median {}, mean {}", with_thousands(seen_.lengths.min),
                               with_thousands(seen_.lengths.max), format_number(seen_.lengths.median, 6),
                               format_number(seen_.lengths.mean, 4)));
    std::string ends = fmt::format("{} terminated, {} truncated", with_thousands(seen_.episodes - seen_.truncated),
                                   with_thousands(seen_.truncated));
    if (seen_.final_states > 0)
      ends += fmt::format(" ({} with a known next state)", with_thousands(seen_.final_states));
    line("end", ends);
    line("reward", fmt::format("{}; {} of the steps have reward 0", range_text(seen_.rewards, 4),
                               format_share(seen_.zero_rewards)));
    line("return", fmt::format("{}, standard deviation {} (discount {})", range_text(seen_.returns, 4),
                               number_text(seen_.return_deviation, 3), format_number(seen_.gamma, 6)));
    line("state", state_line());
    line("action", action_line());
    if (seen_.behavior_probability) line("behavior", probability_line(*seen_.behavior_probability));
    if (seen_.target_probability) line("target", probability_line(*seen_.target_probability));
    if (seen_.ratios) line("ratio", ratio_line(*seen_.ratios));
    if (seen_.history) line("history", history_line(*seen_.history));
  }

  std::string state_line() const {
    if (const auto& state = seen_.discrete_state) {
      return fmt::format("discrete: {} with ids from {} to {}", counted(state->distinct, "distinct state"),
                         state->smallest_id, state->largest_id);
    }
    if (seen_.features.empty()) return "none";
    return fmt::format("real-valued: {}", counted(static_cast<std::int64_t>(seen_.features.size()), "feature"));
  }

  std::string action_line() const {
    if (seen_.action_dimension) {
      return fmt::format("continuous, of dimension {}", with_thousands(*seen_.action_dimension));
    }
    if (seen_.actions.empty()) return "none";
    return fmt::format("discrete: {}", counted(static_cast<std::int64_t>(seen_.actions.size()), "action"));
  }

  static std::string probability_line(const Inspection::Range& range) {
    return fmt::format("probability of the logged actions: {}", range_text(range, 3));
  }

  static std::string ratio_line(const Inspection::Ratios& ratios) {
    return fmt::format("target / behavior is {} to {}, mean {} (should be near 1); {} of the steps have ratio 0",
                       format_number(ratios.range.min, 3), format_number(ratios.range.max, 3),
                       with_error(ratios.range.mean, ratios.std_error.value_or(0.0)), format_share(ratios.zero_share));
  }

  static std::string history_line(const Inspection::History& history) {
    if (!history.matters) {
      return fmt::format(
          "the previous row explains {} of the variance that state and action do not explain: no sign that the state "
          "is not Markov",
          format_share(history.gain));
    }
    return fmt::format(
        "the previous row explains {} of the variance of {} that state and action do not explain ({} standard errors): "
        "the state is not Markov",
        format_share(history.gain), history.of == "state" ? "the next state" : history.of,
        format_number(history.errors, 2));
  }

  // Are actions with a probability of 0.3 taken in 30 % of the steps?
  void calibration() {
    if (seen_.calibration.empty()) return;
    section("Calibration of the logged behavior policy");
    Table rows({{.title = "probability"},
                {.title = "steps", .align = Align::right},
                {.title = "expected\nto be taken", .align = Align::right},
                {.title = "taken", .align = Align::right},
                {.title = "standard errors\nbetween them", .align = Align::decimal}});
    for (const auto& row : seen_.calibration) {
      rows.add_row({fmt::format("{} to {}", format_fixed(row.least, 1), format_fixed(row.most, 1)),
                    with_thousands(row.steps), format_share(row.expected), format_share(row.observed),
                    format_fixed(row.errors, 1)});
    }
    table(rows);
  }

  // What is left of the episodes if only the last ratios weigh, as in star.
  void windows() {
    if (seen_.clips.empty() || seen_.weights.empty()) return;
    section("Effective episodes if only the last ratios weigh, as in star");
    std::vector<TableColumn> titles = {{.title = "steps", .align = Align::right}};
    for (const auto& each : seen_.clips)
      titles.push_back({.title = fmt::format("clip={}", each.clip), .align = Align::decimal});
    Table rows(std::move(titles));
    for (std::size_t k = 0; k < seen_.weights.size(); ++k) {
      std::vector<std::string> cells = {with_thousands(seen_.weights[k].t)};
      for (const auto& each : seen_.clips) cells.push_back(format_ess(each.by_step[k]));
      rows.add_row(std::move(cells));
    }
    std::vector<std::string> all = {"all"};
    for (const auto& each : seen_.clips) all.push_back(format_ess(each.ess));
    rows.add_row(std::move(all));
    table(rows);
    text_ += '\n' + wrap_indented(horizon_line(), style_.width, "  ", "  ");
  }

  std::string horizon_line() const {
    const std::int64_t longest = seen_.lengths.max, full = seen_.weights_fail_at.value_or(longest + 1) - 1;
    const std::int64_t one = seen_.clips.front().speaks_until;
    const auto steps = [&](std::int64_t until) {
      return until >= longest ? fmt::format("all {}", counted(longest, "step"))
                              : fmt::format("the first {} of {}", with_thousands(until), counted(longest, "step"));
    };
    return fmt::format(
        "With weights of whole episodes (is, wis, pdis, wpdis), these logs can answer for {}; with single ratios (star "
        "with clip=1, auto), for {}.",
        steps(full), steps(one));
  }

  void features() {
    if (seen_.features.empty()) return;
    section("State features");
    Table rows({{.title = "feature"},
                {.title = "smallest", .align = Align::decimal},
                {.title = "mean", .align = Align::decimal},
                {.title = "largest", .align = Align::decimal}});
    const std::size_t shown = std::min(seen_.features.size(), most_features);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& feature = seen_.features[i];
      rows.add_row({feature.name, format_number(feature.range.min), format_number(feature.range.mean),
                    format_number(feature.range.max)});
    }
    table(rows);
    more(seen_.features.size() - shown);
  }

  void actions() {
    if (seen_.actions.empty()) return;
    section("Actions");
    const bool behavior = seen_.actions.front().behavior.has_value();
    const bool target = seen_.actions.front().target.has_value();
    std::vector<TableColumn> titles = {{.title = "action", .align = Align::right},
                                       {.title = "steps", .align = Align::right},
                                       {.title = "share", .align = Align::right}};
    if (behavior) titles.push_back({.title = "mean probability,\nbehavior", .align = Align::decimal});
    if (target) titles.push_back({.title = "mean probability,\ntarget", .align = Align::decimal});
    const bool possible = seen_.actions.front().possible.has_value();
    if (possible) titles.push_back({.title = "mean of\n1/behavior_prob", .align = Align::decimal});
    Table rows(std::move(titles));
    const std::size_t shown = std::min(seen_.actions.size(), most_actions);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& action = seen_.actions[i];
      std::vector<std::string> cells = {
          fmt::format("{}", action.id), with_thousands(action.count),
          format_share(static_cast<double>(action.count) / static_cast<double>(seen_.steps))};
      if (behavior) cells.push_back(format_fixed(action.behavior.value_or(0.0), 3));
      if (target) cells.push_back(format_fixed(action.target.value_or(0.0), 3));
      if (possible) cells.push_back(with_error(action.possible.value_or(0.0), action.possible_std_error.value_or(0.0)));
      rows.add_row(std::move(cells));
    }
    table(rows);
    more(seen_.actions.size() - shown);
  }

  void more(std::size_t hidden) {
    if (hidden > 0) text_ += fmt::format("  ... and {} more; --json lists all\n", hidden);
  }

  void weights() {
    if (seen_.weights.empty()) return;
    section("Full importance weights after so many steps");
    constexpr std::size_t enough_for_top = 72;  // columns; --json has it for all
    const bool top = style_.width >= enough_for_top;
    std::vector<TableColumn> titles = {{.title = "steps", .align = Align::right},
                                       {.title = "mean weight\n(near 1)", .align = Align::decimal},
                                       {.title = "standard\nerror", .align = Align::decimal},
                                       {.title = "effective\nepisodes", .align = Align::decimal},
                                       {.title = "largest\nshare", .align = Align::right}};
    if (top) titles.push_back({.title = "top 1 %\ncarry", .align = Align::right});
    titles.push_back({.title = "weight\nzero", .align = Align::right});
    Table rows(std::move(titles));
    for (const WeightsAt& at : seen_.weights) {
      const bool varies = at.std_error > 0.0;
      const int decimals = decimals_of(at.std_error);
      std::vector<std::string> cells = {
          with_thousands(at.t), varies ? format_fixed(at.mean, decimals) : format_number(at.mean),
          varies ? format_fixed(at.std_error, decimals) : "0", format_ess(at.ess), format_share(at.largest_share)};
      if (top) cells.push_back(format_share(at.top_share));
      cells.push_back(format_share(at.zero_share));
      rows.add_row(std::move(cells));
    }
    table(rows);
  }

  void findings() {
    if (seen_.findings.empty()) return;
    section("Advice");
    for (const Finding& finding : seen_.findings) {
      std::string message = text(finding);
      if (finding.severity == Severity::warning) message = paint(style_, Emphasis::warning, "Warning:") + " " + message;
      if (finding.severity == Severity::critical) message = paint(style_, Emphasis::error, "Critical:") + " " + message;
      text_ += wrap_indented(message, style_.width, "  - ", "    ");
    }
  }

  const Inspection& seen_;
  const TextStyle& style_;
  std::string text_{};
};

}  // namespace

std::string text(const Inspection& inspection, const TextStyle& style) {
  return Writer(inspection, style).write();
}

}  // namespace starope
