#include "study_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/layout/layout.hpp"
#include "starope/layout/table.hpp"
#include "starope/study.hpp"

namespace starope::cli {
namespace {

std::string figure(const std::optional<double>& x, int digits = 3) {
  return x ? format_number(*x, digits) : "-";
}

double order(const EstimatorSummary& each) {
  return each.mse.value_or(std::numeric_limits<double>::infinity());
}

// Everything outside of grids, and of each grid the best and the median; best first. All of them where no true value
// says which is best.
std::vector<std::size_t> shown_estimators(const CaseSummary& of, std::map<std::size_t, std::string>& roles) {
  std::vector<bool> hidden(of.estimators.size(), false);
  for (const FamilySummary& family : of.families) {
    if (!of.truth || family.members.size() < 3) continue;
    for (const std::size_t i : family.members) hidden[i] = true;
    for (const auto& [i, role] : {std::pair(family.median, "median"), std::pair(family.best, "best")}) {
      hidden[i] = false;
      roles[i] = fmt::format("{} of {}", role, family.members.size());
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < of.estimators.size(); ++i) {
    if (!hidden[i]) shown.push_back(i);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](std::size_t a, std::size_t b) { return order(of.estimators[a]) < order(of.estimators[b]); });
  return shown;
}

std::string case_name(const CaseSummary& of) {
  return fmt::format("{}, {}", of.domain, counted(of.size, "episode"));
}

std::string truth_text(const CaseSummary& of) {
  if (!of.truth) return "true value unknown";
  if (of.truth->std_error == 0.0) return fmt::format("true value {}", format_number(of.truth->value, 6));
  const int decimals = decimals_of(of.truth->std_error);
  return fmt::format("true value {} +- {}", format_fixed(of.truth->value, decimals),
                     format_fixed(of.truth->std_error, decimals));
}

// Against the true value; where nobody knows it, what the answers were.
Table columns_of(const CaseSummary& of) {
  if (!of.truth) {
    return Table(
        {{"estimator", Align::left, true}, {"mean", Align::decimal}, {"variance", Align::decimal}, {"", Align::left}});
  }
  return Table({{"estimator", Align::left, true},
                {"MSE", Align::decimal},
                {"+-", Align::decimal},
                {"bias^2", Align::decimal},
                {"variance", Align::decimal},
                {"covers", Align::right},
                {"", Align::left}});
}

std::string case_table(const CaseSummary& of, const Terminal& terminal) {
  Table table = columns_of(of);
  std::map<std::size_t, std::string> roles;
  for (const std::size_t i : shown_estimators(of, roles)) {
    const EstimatorSummary& each = of.estimators[i];
    std::string note = roles.count(i) != 0 ? roles[i] : "";
    if (each.failures > 0) {
      note += fmt::format("{}{} of {} failed", note.empty() ? "" : "; ", each.failures, each.failures + each.trials);
    }
    const std::string variance = each.trials > 0 ? format_number(each.variance, 3) : "-";
    if (!of.truth) {
      table.add_row({each.estimator, each.trials > 0 ? format_number(each.mean, 4) : "-", variance, note});
      continue;
    }
    const std::optional<double> squared = each.bias ? std::optional(*each.bias * *each.bias) : std::nullopt;
    table.add_row({each.estimator, figure(each.mse), figure(each.mse_std_error, 2), figure(squared), variance,
                   each.coverage ? format_share(*each.coverage) : "-", note});
  }
  return table.render(terminal.width, 0, paint_begin(terminal, Emphasis::strong), paint_end(terminal));
}

std::string winners(const StudySummary& summary, const Terminal& terminal) {
  Table table({{"case"},
               {"lowest MSE", Align::left, true},
               {"best star", Align::decimal},
               {"median", Align::decimal},
               {"auto", Align::decimal},
               {"best other", Align::decimal}});
  const auto mse = [](const CaseSummary& of, const std::optional<std::size_t>& i) {
    return i ? figure(of.estimators[*i].mse) : "-";
  };
  bool any = false;
  for (const CaseSummary& of : summary.cases) {
    if (!of.winner) continue;
    any = true;
    const FamilySummary* family = of.families.empty() ? nullptr : &of.families.front();
    table.add_row({fmt::format("{} {}", of.domain, with_thousands(of.size)), of.estimators[*of.winner].estimator,
                   family ? mse(of, family->best) : "-", family ? mse(of, family->median) : "-", mse(of, of.automatic),
                   mse(of, of.best_baseline)});
  }
  if (!any) return {};
  return paint(terminal, Emphasis::strong, "Who wins") + "\n" + table.render(terminal.width);
}

std::string beside_the_paper(const StudySummary& summary, const Terminal& terminal) {
  Table table({{"case"},
               {"best star\nhere", Align::decimal},
               {"\npaper", Align::right},
               {"median\nhere", Align::decimal},
               {"\npaper", Align::decimal},
               {"best other\nhere", Align::decimal},
               {"\npaper", Align::decimal},
               {"\n(its best)"}});
  bool any = false;
  for (const CaseSummary& of : summary.cases) {
    if (!of.paper || of.families.empty()) continue;
    any = true;
    const FamilySummary& family = of.families.front();
    table.add_row({fmt::format("{} {}", of.domain, with_thousands(of.size)), figure(of.estimators[family.best].mse),
                   (of.paper->star_best_below ? "<" : "") + format_number(of.paper->star_best, 3),
                   figure(of.estimators[family.median].mse), format_number(of.paper->star_median, 3),
                   of.best_correcting_baseline ? figure(of.estimators[*of.best_correcting_baseline].mse) : "-",
                   format_number(of.paper->baseline_best, 3), of.paper->baseline});
  }
  if (!any) return {};
  return paint(terminal, Emphasis::strong, "Beside the paper's Figure 3 (read off its axis, about 10 % off)") + "\n" +
         table.render(terminal.width) +
         wrap_indented(
             "The published code counts a terminal step's next state as a move, leaves cuts unmarked, and measures "
             "against a truth of 10,000 episodes; its ICU-Sepsis never advances its state, and its k-means is random "
             "centroids. docs/studies.md lists all known differences. naive is left out here, as in the paper.",
             terminal.width, "", "");
}

}  // namespace

std::string study_text(const StudySummary& summary, const Terminal& terminal) {
  std::string text;
  for (const CaseSummary& of : summary.cases) {
    std::int64_t trials = 0;
    for (const EstimatorSummary& each : of.estimators) trials = std::max(trials, each.trials + each.failures);
    text += paint(terminal, Emphasis::strong,
                  fmt::format("{}: {}, {}", case_name(of), truth_text(of), counted(trials, "trial"))) +
            "\n" + case_table(of, terminal) + '\n';
  }
  for (const std::string& part : {winners(summary, terminal), beside_the_paper(summary, terminal)}) {
    if (!part.empty()) text += part + '\n';
  }
  if (summary.failures > 0) {
    text += fmt::format("{} of {} are errors: results.jsonl has their messages.\n", with_thousands(summary.failures),
                        counted(summary.results, "result"));
  }
  return text;
}

}  // namespace starope::cli
