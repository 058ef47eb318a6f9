#include "starope/evaluate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/layout/layout.hpp"

namespace starope {
namespace {

struct Shown {
  std::string operator()(double x) const { return fmt::format("{:.4g}", x); }
  std::string operator()(bool x) const { return x ? "yes" : "no"; }
  std::string operator()(const std::string& x) const { return x; }
  std::string operator()(const std::vector<double>& x) const { return fmt::format("{:.4g}", fmt::join(x, " ")); }
};

// "meaning: value", with the name for programs behind it.
std::string line_of(const Detail& detail, std::size_t width) {
  const std::string shown = std::visit(Shown{}, detail.value);
  return wrap_indented(fmt::format("{}: {} [{}]", detail.meaning, shown, detail.name), width, "  ", "      ");
}

// A table of the families, the reason at the end of each line.
std::string families_text(const std::vector<FamilyAnswer>& families, std::size_t width) {
  std::size_t longest = 0;
  for (const FamilyAnswer& family : families) longest = std::max(longest, family.family.size());
  std::string text =
      fmt::format("  {:<{}}  {:>10}  {:>10}  {:>6}  decided by\n", "family", longest, "value", "error", "weight");
  for (const FamilyAnswer& family : families) {
    const std::string numbers = fmt::format("  {:<{}}  {:>10.5g}  {:>10.3g}  {:>6.3f}  ", family.family, longest,
                                            family.value, family.error, family.weight);
    text += wrap_indented(family.reason, width, numbers, std::string(numbers.size(), ' '));
  }
  return text;
}

// The record of an estimate, by name.
class Record {
 public:
  explicit Record(const Estimate& estimate) : estimate_(estimate) {}
  const Estimate& estimate() const { return estimate_; }

  template <class Value>
  const Value* find(std::string_view name) const {
    for (const Detail& detail : estimate_.details) {
      if (detail.name == name) return std::get_if<Value>(&detail.value);
    }
    return nullptr;
  }
  std::optional<double> number(std::string_view name) const {
    const auto* found = find<double>(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  std::string in_errors(double x) const {  // with the digits that mean something here
    const double error = estimate_.std_error.value_or(0.0);
    return error > 0.0 ? format_fixed(x, decimals_of(error) + 1) : format_number(x, 3);
  }

 private:
  const Estimate& estimate_;
};

// One sentence of the argument, where the record has what it is about.
using Line = std::optional<std::string> (*)(const Record&);

// Which errors make the standard error, the largest first; what is below a twentieth of the variance is not named.
std::optional<std::string> errors_line(const Record& record) {
  struct Part {
    const char* detail;
    const char* name;
  };
  constexpr std::array parts = std::to_array<Part>({{"error_instability", "half of the episodes saying something else"},
                                                    {"error_families", "families that disagree"},
                                                    {"error_doubts", "what speaks against the families"},
                                                    {"error_seeds", "the seeds of the abstractions"},
                                                    {"error_draws", "the draws of the waves"}});
  const auto score = record.number("error_score"), half = record.number("error_half");
  if (!score || !half || !record.estimate().std_error) return std::nullopt;
  std::vector<std::pair<double, std::string>> errors{{std::max(*score, *half), "sampling"}};
  for (const Part& part : parts) {
    if (const auto x = record.number(part.detail)) errors.emplace_back(*x, part.name);
  }
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  double total = 0.0;
  for (const auto& [error, name] : errors) total += error * error;
  std::string named;
  for (const auto& [error, name] : errors) {
    if (error * error < 0.05 * total) break;
    named += fmt::format("{}{} ({})", named.empty() ? "" : ", ", name, record.in_errors(error));
  }
  return fmt::format("Its standard error of {} is made of: {}.", record.in_errors(*record.estimate().std_error), named);
}

std::optional<std::string> ladder_line(const Record& record) {
  const auto* levels = record.find<std::vector<double>>("value_of_finest_levels");
  const auto* ladder = record.find<std::vector<double>>("ladder");
  const auto* significant = record.find<bool>("drift_significant");
  if (levels == nullptr || ladder == nullptr || ladder->empty() || levels->empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(levels->begin(), levels->end());
  const bool drifts = significant != nullptr && *significant;
  return fmt::format("Cells of {:.0f} to {:.0f} per abstraction answer {} to {}: {}.", ladder->front(), ladder->back(),
                     record.in_errors(*low), record.in_errors(*high),
                     drifts ? "finer ones differ by more than noise, so the coarser levels were left out"
                            : "the size does not matter beyond noise");
}

std::optional<std::string> history_line(const Record& record) {
  const auto* markov = record.find<bool>("markov");
  const auto delta = record.number("markov_delta"), threshold = record.number("markov_threshold");
  if (markov == nullptr || !delta || !threshold) return std::nullopt;
  return fmt::format(
      "A window of two ratios moves the answer of the cells by {}, and a shift of {} would be a sign of memory: {}.",
      record.in_errors(*delta), record.in_errors(*threshold),
      *markov ? "one state at a time seems to say enough" : "the state seems to hide some history");
}

std::optional<std::string> halves_line(const Record& record) {
  const auto cells = record.number("half_data_cells"), waves = record.number("half_data_waves");
  if (!cells || !waves) return std::nullopt;
  return fmt::format("Half of the episodes move cells by {} and waves by {}: more data would move them the other way.",
                     record.in_errors(*cells), record.in_errors(*waves));
}

std::optional<std::string> support_line(const Record& record) {
  const auto visits = record.number("unsupported");
  if (!visits) return std::nullopt;
  return *visits == 0.0 ? std::string("The logs show an outcome wherever the target policy goes.")
                        : fmt::format("The target policy spends {} steps per episode where the logs show no outcome.",
                                      format_number(*visits, 2));
}

std::optional<std::string> weights_line(const Record& record) {
  const auto scores = record.number("neff"), anchor = record.number("anchor_ess");
  if (!scores || !anchor) return std::nullopt;
  return fmt::format("The spread of the scores rests on {} episodes; cumulative weights alone would be worth {}.",
                     format_ess(*scores), format_ess(*anchor));
}

std::optional<std::string> steps_line(const Record& record) {
  const auto steps = record.number("horizon"), hidden = record.number("ends_hidden");
  if (!steps) return std::nullopt;
  std::string line = fmt::format("{} count", counted(std::llround(*steps), "step"));
  if (hidden && *hidden > 0.0)
    line += fmt::format("; {} at the last of them {} taken as a cut", counted(std::llround(*hidden), "end"),
                        *hidden == 1.0 ? "was" : "were");
  return line + ".";
}

// The argument: what weighs most comes first.
constexpr std::array<Line, 7> argument{errors_line,  ladder_line,  history_line, halves_line,
                                       support_line, weights_line, steps_line};

std::string argument_text(const Estimate& estimate, std::size_t width) {
  const Record record(estimate);
  std::string text;
  for (const Line line : argument) {
    if (const auto sentence = line(record)) text += wrap_indented(*sentence, width, "  ", "    ");
  }
  return text;
}

// What the other estimators say of the answer.
std::string others_text(const Evaluation& evaluation, std::size_t width) {
  const Estimate* const answer = answer_of(evaluation);
  if (answer == nullptr || !answer->interval) return {};
  std::vector<std::string> within, outside;
  for (std::size_t i = 0; i < evaluation.estimates.size(); ++i) {
    const auto* other = std::get_if<Estimate>(&evaluation.estimates[i].result);
    if (i == *evaluation.answer || other == nullptr || !other->interval) continue;
    if (role_of(evaluation.estimates[i].estimator) == EstimatorRole::uncorrected) continue;  // of another policy
    const bool apart =
        other->interval->upper < answer->interval->lower || other->interval->lower > answer->interval->upper;
    (apart ? outside : within).push_back(evaluation.estimates[i].estimator);
  }
  std::string text;
  if (!within.empty())
    text +=
        wrap_indented(fmt::format("Intervals that overlap its own: {}.", fmt::join(within, ", ")), width, "  ", "    ");
  if (!outside.empty())
    text +=
        wrap_indented(fmt::format("Intervals apart from its own: {}.", fmt::join(outside, ", ")), width, "  ", "    ");
  return text;
}

}  // namespace

std::string explanation(const Evaluation& evaluation, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < evaluation.estimates.size(); ++i) {
    const Answer& answer = evaluation.estimates[i];
    const auto* estimate = std::get_if<Estimate>(&answer.result);
    if (estimate == nullptr || estimate->details.empty()) continue;
    text += fmt::format("\nHow {} came to {:.6g}\n", answer.estimator, estimate->value);
    if (!estimate->families.empty()) text += families_text(estimate->families, style.width);
    const std::string reasoned = argument_text(*estimate, style.width);
    text += reasoned;
    // Records without an argument of their own are short lists.
    for (const Detail& detail : estimate->details)
      if (reasoned.empty()) text += line_of(detail, style.width);
    if (evaluation.answer == i) text += others_text(evaluation, style.width);
  }
  return text;
}

}  // namespace starope
