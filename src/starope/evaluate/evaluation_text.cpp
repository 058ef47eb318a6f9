#include "starope/evaluate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <variant>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/answer_text.hpp"
#include "starope/evaluate/behavior_view.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/evaluate/risk_view.hpp"
#include "starope/layout/layout.hpp"
#include "starope/layout/style.hpp"
#include "starope/layout/table.hpp"

namespace starope {
namespace {

std::string heading_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "Note";
    case Severity::warning:
      return "Warning";
    case Severity::critical:
      break;
  }
  return "Critical";
}

Emphasis emphasis_of(Severity severity) {
  if (severity == Severity::info) return Emphasis::quiet;
  return severity == Severity::warning ? Emphasis::warning : Emphasis::error;
}

// What stands below the table and one or more rows point to: a failure, or findings that are one sentence.
struct Note {
  std::string heading{};  // "Warning"
  Emphasis emphasis = Emphasis::quiet;
  std::variant<std::vector<Finding>, Failure> what{};
  std::vector<std::string> estimators{};

  bool takes(const Finding& finding) const {
    const auto* findings = std::get_if<std::vector<Finding>>(&what);
    return findings != nullptr && same_sentence(findings->front(), finding);
  }
  bool takes(const Failure& failure) const {
    const auto* known = std::get_if<Failure>(&what);
    return known != nullptr && known->message == failure.message;
  }
  std::string sentence() const {
    const auto* findings = std::get_if<std::vector<Finding>>(&what);
    return findings != nullptr ? text(*findings) : std::get<Failure>(what).message;
  }
};

// Collects the notes; what several estimators have in common is one, even if its numbers differ.
class Notes {
 public:
  // The numbers under which they are listed, from 1.
  std::size_t add(const std::string& estimator, const Finding& finding) {
    const std::size_t number = place(estimator, finding);
    if (number > notes_.size()) {
      notes_.push_back({.heading = heading_of(finding.severity),
                        .emphasis = emphasis_of(finding.severity),
                        .what = std::vector<Finding>{finding},
                        .estimators = {estimator}});
    } else {
      std::get<std::vector<Finding>>(notes_[number - 1].what).push_back(finding);
    }
    return number;
  }
  std::size_t add(const std::string& estimator, const Failure& failure) {
    const std::size_t number = place(estimator, failure);
    if (number > notes_.size())
      notes_.push_back({.heading = "Failed", .emphasis = Emphasis::error, .what = failure, .estimators = {estimator}});
    return number;
  }

  std::string render(const TextStyle& style) const {
    std::string all;
    const std::string indent(notes_.size() < 10 ? 4 : 5, ' ');
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      const Note& note = notes_[i];
      const std::string number = pad_right(fmt::format("[{}]", i + 1), indent.size());
      const std::string line = fmt::format("{}, {}: {}", paint(style, note.emphasis, note.heading),
                                           fmt::join(note.estimators, ", "), note.sentence());
      all += wrap_indented(line, style.width, number, indent);
    }
    return all;
  }

 private:
  // The number of the note that takes it, to which the estimator is added, or the next number.
  template <class What>
  std::size_t place(const std::string& estimator, const What& what) {
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      if (!notes_[i].takes(what)) continue;
      auto& who = notes_[i].estimators;
      if (std::find(who.begin(), who.end(), estimator) == who.end()) who.push_back(estimator);
      return i + 1;
    }
    return notes_.size() + 1;
  }

  std::vector<Note> notes_{};
};

struct Figures {
  std::string value{};
  std::string std_error{};
  std::string lower{};
  std::string upper{};
  std::string ess{};
};

// The standard error decides how many digits mean something.
Figures figures_of(const Estimate& estimate) {
  Figures figures;
  const bool measured = estimate.std_error && *estimate.std_error > 0.0;
  const int decimals = measured ? decimals_of(*estimate.std_error) : 0;
  const auto shown = [&](double x) { return measured ? format_fixed(x, decimals) : format_number(x, 6); };
  figures.value = shown(estimate.value);
  figures.std_error = estimate.std_error ? shown(*estimate.std_error) : "unknown";
  if (estimate.interval) {
    figures.lower = shown(estimate.interval->lower);
    figures.upper = shown(estimate.interval->upper);
  }
  if (estimate.ess) figures.ess = format_ess(*estimate.ess);
  return figures;
}

std::string header(const Evaluation::Data& data, const TextStyle& style) {
  const double mean_length = static_cast<double>(data.steps) / static_cast<double>(data.episodes);
  const std::string title =
      fmt::format("{}: {}, {}", data.file, counted(data.episodes, "episode"), counted(data.steps, "step"));
  std::string lines = wrap_indented(paint(style, Emphasis::strong, title), style.width, "", "  ");
  const auto add = [&](const std::string& line) { lines += wrap_indented(line, style.width, "  ", "  "); };
  add(fmt::format("Mean length {}; {} terminated, {} truncated. Discount {}, {}.", format_number(mean_length, 3),
                  with_thousands(data.episodes - data.truncated), with_thousands(data.truncated),
                  format_number(data.gamma, 6),
                  data.horizon ? fmt::format("horizon {}", with_thousands(*data.horizon)) : "no horizon"));
  add(
      fmt::format("Effective sample size of the full-episode weights: {}. For plain importance sampling, {} of the log "
                  "{} worth about {} of the target policy itself.",
                  format_ess(data.ess), counted(data.episodes, "episode"), data.episodes == 1 ? "is" : "are",
                  format_ess(data.ess)));
  for (const Finding& finding : data.findings) {
    add(fmt::format("{}: {}", paint(style, emphasis_of(finding.severity), heading_of(finding.severity)),
                    text(finding)));
  }
  return lines;
}

std::string closing_line(const Evaluation& evaluation) {
  const auto is_naive = [](const Answer& answer) { return role_of(answer.estimator) == EstimatorRole::uncorrected; };
  const auto& all = evaluation.estimates;
  const bool naive = std::any_of(all.begin(), all.end(), is_naive);
  const bool others = !std::all_of(all.begin(), all.end(), is_naive);
  const std::string row = "naive is what the logged policy earned, on average per episode";
  const std::string rest = "what the target policy would have earned";
  if (!naive) return fmt::format("Each row estimates {}, on average per episode.", rest);
  if (!others) return row + ".";
  return fmt::format("{}; the others estimate {}.", row, rest);
}

std::string level_title(double level) {
  return fmt::format("{:.6g} % interval", 100.0 * level);
}

// Lower ends flush right, upper ends flush left: one column in which "to" stands below "to".
std::vector<std::string> interval_cells(const std::vector<Figures>& rows) {
  std::size_t before = 0;
  std::size_t behind = 0;
  for (const Figures& row : rows) {
    before = std::max(before, row.lower.size());
    behind = std::max(behind, row.upper.size());
  }
  std::vector<std::string> cells;
  cells.reserve(rows.size());
  for (const Figures& row : rows) {
    cells.push_back(row.lower.empty() ? std::string()
                                      : pad_left(row.lower, before) + " to " + pad_right(row.upper, behind));
  }
  return cells;
}

struct Row {
  Figures figures{};
  std::map<std::size_t, Emphasis> notes{};  // by number

  std::string marks(const TextStyle& style) const {
    std::string text;
    for (const auto& [number, emphasis] : notes) {
      if (!text.empty()) text += ',';
      text += paint(style, emphasis, fmt::format("{}", number));
    }
    return text;
  }
};

Row row_of(const Answer& answer, Notes& notes) {
  Row row;
  if (const auto* failure = std::get_if<Failure>(&answer.result)) {
    row.figures.value = "failed";
    row.notes.emplace(notes.add(answer.estimator, *failure), Emphasis::error);
    return row;
  }
  const auto& estimate = std::get<Estimate>(answer.result);
  row.figures = figures_of(estimate);
  for (const Finding& finding : estimate.findings) {
    row.notes.emplace(notes.add(answer.estimator, finding), emphasis_of(finding.severity));
  }
  return row;
}

}  // namespace

std::string text(const Evaluation& evaluation, const TextStyle& style) {
  Notes notes;
  std::vector<Figures> figures;
  std::vector<std::string> marks;
  for (const Answer& answer : evaluation.estimates) {
    Row row = row_of(answer, notes);
    marks.push_back(row.marks(style));
    figures.push_back(std::move(row.figures));
  }
  std::vector<TableColumn> columns = {{.title = "estimator", .breakable = true},
                                      {.title = "value", .align = Align::decimal},
                                      {.title = "standard\nerror", .align = Align::decimal}};
  if (evaluation.level) columns.push_back({.title = level_title(*evaluation.level), .align = Align::right});
  columns.push_back({.title = "effective\nepisodes", .align = Align::decimal});
  const bool any_marks = std::any_of(marks.begin(), marks.end(), [](const auto& mark) { return !mark.empty(); });
  if (any_marks) columns.push_back({.title = "notes"});

  Table table(std::move(columns));
  const std::vector<std::string> intervals = interval_cells(figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    std::vector<std::string> cells = {evaluation.estimates[i].estimator, figures[i].value, figures[i].std_error};
    if (evaluation.level) cells.push_back(intervals[i]);
    cells.push_back(figures[i].ess);
    if (any_marks) cells.push_back(marks[i]);
    table.add_row(std::move(cells));
  }

  std::string all = answer_text(evaluation, style) + header(evaluation.data, style) + '\n';
  all += table.render(style.width, 0, paint_begin(style, Emphasis::strong), paint_end(style)) + '\n';
  if (any_marks) all += notes.render(style) + '\n';
  all += wrap_indented(closing_line(evaluation), style.width, "", "") + groups_text(evaluation, style);
  if (evaluation.behavior) all += '\n' + behavior_text(*evaluation.behavior, style);
  if (!evaluation.distributions.empty()) all += '\n' + distributions_text(evaluation.distributions, style);
  return all;
}

}  // namespace starope
