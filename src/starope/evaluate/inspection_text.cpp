#include "starope/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

std::string range_text(const Inspection::Range& range, int significant) {
  if (range.min == range.max) return fmt::format("always {}", format_number(range.min, significant));
  return fmt::format("{} to {}, mean {}", format_number(range.min, significant), format_number(range.max, significant),
                     format_number(range.mean, significant));
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
    weights();
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
                               format_number(seen_.return_deviation, 3), format_number(seen_.gamma, 6)));
    line("state", state_line());
    line("action", action_line());
    if (seen_.behavior_probability) line("behavior", probability_line(*seen_.behavior_probability));
    if (seen_.target_probability) line("target", probability_line(*seen_.target_probability));
    if (seen_.ratios) line("ratio", ratio_line(*seen_.ratios));
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
    Table rows(std::move(titles));
    const std::size_t shown = std::min(seen_.actions.size(), most_actions);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& action = seen_.actions[i];
      std::vector<std::string> cells = {
          fmt::format("{}", action.id), with_thousands(action.count),
          format_share(static_cast<double>(action.count) / static_cast<double>(seen_.steps))};
      if (behavior) cells.push_back(format_fixed(action.behavior.value_or(0.0), 3));
      if (target) cells.push_back(format_fixed(action.target.value_or(0.0), 3));
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
    Table rows({{.title = "steps", .align = Align::right},
                {.title = "mean weight\n(near 1)", .align = Align::decimal},
                {.title = "standard\nerror", .align = Align::decimal},
                {.title = "effective\nepisodes", .align = Align::decimal},
                {.title = "largest\nshare", .align = Align::right},
                {.title = "weight\nzero", .align = Align::right}});
    for (const WeightsAt& at : seen_.weights) {
      const bool varies = at.std_error > 0.0;
      const int decimals = decimals_of(at.std_error);
      rows.add_row({with_thousands(at.t), varies ? format_fixed(at.mean, decimals) : format_number(at.mean),
                    varies ? format_fixed(at.std_error, decimals) : "0", format_ess(at.ess),
                    format_share(at.largest_share), format_share(at.zero_share)});
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
