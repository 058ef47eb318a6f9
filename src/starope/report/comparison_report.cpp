#include "starope/report/comparison_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/answer_text.hpp"
#include "starope/evaluate/comparison_sentences.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/report.hpp"
#include "starope/report/chart_spec.hpp"

namespace starope {
namespace {

std::optional<double> lower_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->lower) : std::nullopt;
}
std::optional<double> upper_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->upper) : std::nullopt;
}

Figure values_figure(const Comparison& comparison) {
  Figure figure{.id = "policies",
                .title = "Policies",
                .caption =
                    "What each policy earns, the best first; intervals hold for all of them at once. The logged "
                    "policy is what the logs earned.",
                .open_table = true};
  figure.table.columns = {{"rank", true},  {"policy"},      {"value", true},     {"standard error", true},
                          {"lower", true}, {"upper", true}, {"best with", true}, {"verdict"}};
  Json values = Json::array();
  for (const std::size_t place : comparison.ranking) {
    const ComparedPolicy& policy = comparison.policies[place];
    const auto& estimate = std::get<Estimate>(policy.answer.result);
    figure.table.rows.push_back({std::to_string(*policy.rank), policy.policy, short_number(estimate.value),
                                 short_number(estimate.std_error), short_number(lower_of(estimate.interval)),
                                 short_number(upper_of(estimate.interval)),
                                 policy.probability_best ? probability_text(*policy.probability_best) : "",
                                 policy.verdict ? words(policy.verdict->grade) : ""});
    values.push_back({{"estimator", policy.policy},
                      {"value", estimate.value},
                      {"lower", lower_of(estimate.interval).value_or(estimate.value)},
                      {"upper", upper_of(estimate.interval).value_or(estimate.value)}});
  }
  const std::size_t rows = values.size();
  Chart chart{.title = "Values of the policies",
              .description = fmt::format("Values of {} policies, the logged one among them, with intervals.", rows)};
  Json spec = chart_spec("estimates", chart.description, std::move(values));
  spec.at("encoding").at("x").at("title") = "value";
  spec.at("encoding").at("tooltip").at(0).at("title") = "policy";
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

Figure differences_figure(const Comparison& comparison) {
  Figure figure{.id = "differences",
                .title = "Differences",
                .caption =
                    "How much more the first policy of a pair earns than the second, paired episode by episode; "
                    "intervals hold for all pairs at once. Where one contains zero, these logs do not tell the two "
                    "apart.",
                .open_table = true};
  figure.table.columns = {{"pair"},        {"difference", true}, {"standard error", true},
                          {"lower", true}, {"upper", true},      {"first better with", true},
                          {"told apart"}};
  Json values = Json::array();
  for (const PolicyDifference& each : comparison.differences) {
    const Difference& difference = each.difference;
    const std::string pair =
        fmt::format("{} - {}", comparison.policies[each.first].policy, comparison.policies[each.second].policy);
    figure.table.rows.push_back({pair, short_number(difference.value), short_number(difference.std_error),
                                 short_number(lower_of(difference.interval)),
                                 short_number(upper_of(difference.interval)),
                                 difference.probability_better ? probability_text(*difference.probability_better) : "",
                                 each.told_apart ? "yes" : "no"});
    values.push_back({{"name", pair},
                      {"value", difference.value},
                      {"lower", lower_of(difference.interval).value_or(difference.value)},
                      {"upper", upper_of(difference.interval).value_or(difference.value)},
                      {"note", each.told_apart ? "" : "not told apart"}});
  }
  if (values.empty()) return figure;
  const std::size_t rows = values.size();
  Chart chart{.title = "Differences of pairs",
              .description =
                  fmt::format("Differences of {} with intervals.", counted(static_cast<std::int64_t>(rows), "pair"))};
  Json spec = chart_spec("differences", chart.description, std::move(values));
  set_rows(spec, rows);
  chart.spec = dump(spec);
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace

Page comparison_page(const Comparison& comparison) {
  const std::string& file = comparison.data.file;
  Page page{.title = "Policies on " + (file.empty() ? "logged episodes" : file)};
  for (std::string& sentence : comparison_sentences(comparison)) page.answer.push_back(std::move(sentence));
  page.lead.push_back(fmt::format("{} with {}.", counted(comparison.data.episodes, "logged episode"),
                                  counted(comparison.data.steps, "step")));
  if (auto note = behavior_note(comparison)) page.lead.push_back(*std::move(note));
  page.figures = {values_figure(comparison), differences_figure(comparison)};
  return page;
}

std::string comparison_report(const Comparison& comparison) {
  return page_html(comparison_page(comparison));
}

}  // namespace starope
