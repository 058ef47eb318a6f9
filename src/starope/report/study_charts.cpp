#include "starope/report/study_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "starope/base/text.hpp"
#include "starope/report/chart_spec.hpp"
#include "starope/report/html.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/study/estimator_grid.hpp"

namespace starope {
namespace {

// Of the roles; readable on light and dark paper.
constexpr const char* best_colour = "#d1495b";
constexpr const char* median_colour = "#8a94a3";
constexpr const char* automatic_colour = "#2f86c5";
constexpr const char* other_colour = "#c08a3e";

const char* name(Role role) {
  switch (role) {
    case Role::best:
      return "best STAR";
    case Role::median:
      return "median STAR";
    case Role::automatic:
      return "auto";
    case Role::other:
      break;
  }
  return "other";
}

bool is_positive(const std::optional<double>& x) {
  return x && *x > 0.0 && std::isfinite(*x);
}

// Lines at the powers of ten only: nine between each two would hide the bars.
Json powers_of_ten(std::pair<double, double> range) {
  Json values = Json::array();
  for (double at = std::floor(std::log10(range.first)); at <= std::ceil(std::log10(range.second)); ++at) {
    values.push_back(std::pow(10.0, at));
  }
  return values;
}

// Short enough for a cell of a heat map.
std::string cell_text(double x) {
  if (x >= 1e5 || x < 1e-3) return fmt::format("{:.0e}", x);
  return x >= 10.0 ? fmt::format("{:.0f}", x) : fmt::format("{:.2g}", x);
}

Json log_axis(std::pair<double, double> range, const std::string& title) {
  // Some bars are many powers of ten long, and there is room for about four labels.
  const auto powers = static_cast<int>(std::lround(std::log10(range.second / range.first)));
  const std::string label = fmt::format(
      "round(log(datum.value) / LN10) % {} != 0 ? '' : datum.value > 0.0005 && datum.value < 50000 ? "
      "format(datum.value, '~g') : '1e' + round(log(datum.value) / LN10)",
      std::max(1, (powers + 3) / 4));
  return {{"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"domain", {range.first, range.second}}, {"clamp", true}}},
          {"axis", {{"labelExpr", label}, {"labelOverlap", true}, {"values", powers_of_ten(range)}}}};
}

Json with_field(Json encoding, const char* field) {
  encoding["field"] = field;
  return encoding;
}

}  // namespace

std::string family_label(const std::string& family) {
  const std::size_t open = family.find('(');
  if (open == std::string::npos || family.back() != ')') return "STAR";
  std::string rest;
  for (const std::string_view option :
       split_estimators(std::string_view(family).substr(open + 1, family.size() - open - 2))) {
    if (option == "horizon=none") continue;
    rest += (rest.empty() ? "" : " ") + std::string(option.substr(option.find('=') + 1));
  }
  return rest.empty() ? "STAR" : "STAR " + rest;
}

std::vector<ComparedEstimator> compared_estimators(const CaseSummary& of) {
  std::vector<ComparedEstimator> compared;
  std::vector<bool> in_grid(of.estimators.size(), false);
  for (const FamilySummary& family : of.families) {
    const std::string label = family_label(family.family);
    for (const std::size_t i : family.members) in_grid[i] = true;
    if (family.members.size() > 1) {
      compared.push_back({label + " best", Role::best, &of.estimators[family.best]});
      compared.push_back({label + " median", Role::median, &of.estimators[family.median]});
    } else {
      compared.push_back({of.estimators[family.best].estimator, Role::best, &of.estimators[family.best]});
    }
  }
  for (const bool automatic : {true, false}) {
    for (std::size_t i = 0; i < of.estimators.size(); ++i) {
      const EstimatorSummary& each = of.estimators[i];
      if (in_grid[i] || (each.estimator.rfind("auto", 0) == 0) != automatic) continue;
      compared.push_back({each.estimator, automatic ? Role::automatic : Role::other, &each});
    }
  }
  return compared;
}

std::pair<double, double> error_range(const StudySummary& summary, const std::string& domain) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  std::vector<double> errors;
  for (const CaseSummary& of : summary.cases) {
    if (of.domain != domain) continue;
    for (const ComparedEstimator& each : compared_estimators(of)) {
      if (!is_positive(each.summary->mse)) continue;
      errors.push_back(*each.summary->mse);
      low = std::min(low, *each.summary->mse);
      high = std::max(high, *each.summary->mse + each.summary->mse_std_error.value_or(0.0));
    }
  }
  if (high == 0.0) return {0.1, 10.0};
  // Weights that explode would leave no room for the others: their bars are cut.
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  high = std::min(high, 1000.0 * *middle);
  // Room below the smallest bar, so that its parts can be seen.
  return {std::pow(10.0, std::floor(std::log10(low) - 0.5)), std::pow(10.0, std::ceil(std::log10(high)))};
}

std::optional<Chart> error_chart(const CaseSummary& of, std::pair<double, double> range) {
  const double floor = range.first;
  Json values = Json::array();
  std::string winner;
  for (const ComparedEstimator& each : compared_estimators(of)) {
    const EstimatorSummary& s = *each.summary;
    if (!is_positive(s.mse)) continue;
    const double error = s.mse_std_error.value_or(0.0), squared = *s.bias * *s.bias;
    values.push_back({{"label", each.label},
                      {"estimator", s.estimator},
                      {"role", name(each.role)},
                      {"mse", *s.mse},
                      {"bias_squared", squared},
                      {"variance", s.variance},
                      {"text", fmt::format("{} ± {}", short_number(*s.mse), short_number(error))},
                      {"floor", floor},
                      {"bias_end", std::max(floor, squared)},
                      {"low", std::max(floor, *s.mse - error)},
                      {"high", *s.mse + error}});
  }
  if (values.empty()) return std::nullopt;
  const Json x = log_axis(range, "mean squared error");
  const Json colour{{"field", "role"},
                    {"type", "nominal"},
                    {"legend", nullptr},
                    {"scale",
                     {{"domain", {name(Role::best), name(Role::median), name(Role::automatic), name(Role::other)}},
                      {"range", {best_colour, median_colour, automatic_colour, other_colour}}}}};
  const Json tips =
      tooltip({{"estimator", "estimator"}, {"text", "MSE"}, {"bias_squared", "bias²"}, {"variance", "variance"}});
  const auto bar = [&](const char* from, const char* to, double opacity) {
    return Json{
        {"mark", {{"type", "bar"}, {"height", {{"band", 0.72}}}, {"opacity", opacity}}},
        {"encoding", {{"x", with_field(x, from)}, {"x2", {{"field", to}}}, {"color", colour}, {"tooltip", tips}}}};
  };
  if (of.winner) winner = fmt::format(" The smallest is {}.", of.estimators[*of.winner].estimator);
  Chart chart{.group = of.domain,
              .title = counted(of.size, "episode"),
              .description = fmt::format("Mean squared errors of {} estimators for {} with {} episodes, split into "
                                         "squared bias and variance.{}",
                                         values.size(), of.domain, with_thousands(of.size), winner)};
  Json spec = base_spec(chart.description);
  spec["height"] = 17 * values.size();
  spec["data"] = {{"values", values}};
  spec["encoding"] = {{"y",
                       {{"field", "label"},
                        {"type", "nominal"},
                        {"sort", nullptr},
                        {"title", nullptr},
                        {"axis", {{"labelLimit", 190}, {"ticks", false}, {"domain", false}}}}}};
  spec["layer"] = {bar("floor", "bias_end", 1.0), bar("bias_end", "mse", 0.45),
                   Json{{"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
                        {"encoding", {{"x", with_field(x, "low")}, {"x2", {{"field", "high"}}}, {"tooltip", tips}}}},
                   // Longer than the axis.
                   Json{{"transform", {{{"filter", fmt::format("datum.mse > {}", range.second)}}}},
                        {"mark", {{"type", "point"}, {"shape", "triangle-right"}, {"filled", true}, {"size", 60}}},
                        {"encoding", {{"x", with_field(x, "mse")}, {"color", colour}, {"tooltip", tips}}}}};
  chart.spec = dump(spec);
  return chart;
}

std::optional<Chart> configurations_chart(const StudySummary& summary, const std::string& domain) {
  Json values = Json::array();
  std::vector<std::string> series;
  const auto add = [&](const CaseSummary& of, const std::string& label, const EstimatorSummary& each,
                       const std::string& kind) {
    if (!is_positive(each.mse)) return;
    if (std::find(series.begin(), series.end(), label) == series.end()) series.push_back(label);
    values.push_back({{"size", of.size},
                      {"series", label},
                      {"kind", kind},
                      {"estimator", each.estimator},
                      {"mse", *each.mse},
                      {"text", short_number(*each.mse)}});
  };
  for (const CaseSummary& of : summary.cases) {
    if (of.domain != domain) continue;
    for (const FamilySummary& family : of.families) {
      if (family.members.size() < 3) continue;
      for (const std::size_t i : family.members) {
        const char* kind = i == family.best ? "best" : (i == family.median ? "median" : "configuration");
        add(of, family_label(family.family), of.estimators[i], kind);
      }
    }
  }
  if (values.empty()) return std::nullopt;
  const std::size_t points = values.size();
  for (const CaseSummary& of : summary.cases) {
    if (of.domain != domain) continue;
    for (const EstimatorSummary& each : of.estimators) {
      const bool endpoint = each.estimator == "wpdis" || each.estimator == "mb" || each.estimator == "auto";
      if (endpoint) add(of, each.estimator, each, "endpoint");
    }
  }
  Chart chart{.title = domain,
              .description = fmt::format("Mean squared errors of {} STAR configurations of {} by number of episodes, "
                                         "best and median marked, beside {}.",
                                         points, domain, fmt::join(series, ", "))};
  std::pair<double, double> range{std::numeric_limits<double>::infinity(), 0.0};
  for (const Json& each : values) {
    const double mse = each.at("mse");
    range = {std::min(range.first, 0.7 * mse), std::max(range.second, 1.4 * mse)};
  }
  const Json y{{"field", "mse"},
               {"type", "quantitative"},
               {"title", "mean squared error"},
               {"scale", {{"type", "log"}, {"domain", {range.first, range.second}}, {"nice", false}}},
               {"axis", {{"format", "~g"}, {"labelOverlap", true}, {"values", powers_of_ten(range)}}}};
  const Json x{
      {"field", "size"}, {"type", "ordinal"}, {"title", "episodes"}, {"axis", {{"labelAngle", 0}, {"format", ","}}}};
  const Json offset{{"field", "series"}, {"type", "nominal"}, {"sort", series}};
  // Endpoints have the colours of the other charts, grids what is left.
  const std::vector<std::string> palette{best_colour, "#8e6bbf", "#3d9c9c", "#b5567d"};
  Json colours = Json::array();
  std::size_t grids = 0;
  for (const std::string& each : series) {
    if (each == "auto") {
      colours.push_back(automatic_colour);
    } else if (each == "wpdis" || each == "mb") {
      colours.push_back(each == "mb" ? "#5b9a68" : other_colour);
    } else {
      colours.push_back(palette[grids++ % palette.size()]);
    }
  }
  const Json colour{
      {"field", "series"},
      {"type", "nominal"},
      {"title", nullptr},
      {"sort", series},
      {"scale", {{"domain", series}, {"range", colours}}},
      {"legend",
       {{"orient", "top"}, {"columns", 3}, {"labelLimit", 220}, {"symbolType", "circle"}, {"symbolOpacity", 1}}}};
  const Json tips = tooltip({{"estimator", "estimator"}, {"text", "MSE"}, {"kind", "role"}});
  const auto layer = [&](const std::string& kind, Json mark) {
    return Json{{"transform", {{{"filter", {{"field", "kind"}, {"equal", kind}}}}}},
                {"mark", std::move(mark)},
                {"encoding", {{"x", x}, {"xOffset", offset}, {"y", y}, {"color", colour}, {"tooltip", tips}}}};
  };
  Json spec = base_spec(chart.description);
  spec["height"] = 300;
  spec["data"] = {{"values", values}};
  spec["layer"] = {
      layer("configuration", {{"type", "circle"}, {"size", 38}, {"opacity", 0.45}}),
      layer("median", {{"type", "point"}, {"shape", "square"}, {"filled", true}, {"size", 80}, {"opacity", 1}}),
      layer("best", {{"type", "point"}, {"shape", "diamond"}, {"filled", true}, {"size", 120}, {"opacity", 1}}),
      layer("endpoint", {{"type", "tick"}, {"orient", "horizontal"}, {"thickness", 3}, {"size", 26}, {"opacity", 1}})};
  chart.spec = dump(spec);
  return chart;
}

std::optional<Chart> heatmap_chart(const CaseSummary& of, const FamilySummary& family,
                                   std::pair<double, double> range) {
  Json values = Json::array();
  std::set<std::string> rows;
  for (const std::size_t i : family.members) {
    const EstimatorSummary& each = of.estimators[i];
    if (!is_positive(each.mse)) continue;
    const GridPoint point = grid_point(each.estimator);
    rows.insert(point.clusters);
    const double log_mse = std::log10(*each.mse);
    const double shade = range.second > range.first ? (log_mse - range.first) / (range.second - range.first) : 0.5;
    values.push_back({{"clusters", std::stoll(point.clusters)},
                      {"clip", point.clip},
                      {"log_mse", log_mse},
                      {"text", cell_text(*each.mse)},
                      {"dark", shade > 0.55},
                      {"estimator", each.estimator}});
  }
  if (values.size() < 4) return std::nullopt;
  Chart chart{.group = of.domain,
              .title = counted(of.size, "episode"),
              .description =
                  fmt::format("Mean squared errors of {} for {} with {} episodes over numbers of cells and clips; the "
                              "smallest has {}.",
                              family.family, of.domain, with_thousands(of.size), of.estimators[family.best].estimator)};
  Json spec = base_spec(chart.description);
  spec["height"] = 24 * rows.size();
  spec["data"] = {{"values", values}};
  spec["encoding"] = {
      {"x", {{"field", "clip"}, {"type", "ordinal"}, {"title", "clip c"}, {"axis", {{"labelAngle", 0}}}}},
      {"y", {{"field", "clusters"}, {"type", "ordinal"}, {"title", "cells |Z|"}, {"sort", "descending"}}},
      {"tooltip", tooltip({{"estimator", "estimator"}, {"text", "MSE"}})}};
  spec["layer"] = {
      Json{{"mark", {{"type", "rect"}}},
           {"encoding",
            {{"color",
              {{"field", "log_mse"},
               {"type", "quantitative"},
               {"legend", nullptr},
               {"scale", {{"scheme", "viridis"}, {"reverse", true}, {"domain", {range.first, range.second}}}}}}}}},
      Json{{"mark", {{"type", "text"}, {"fontSize", 10}}},
           {"encoding",
            {{"text", {{"field", "text"}}},
             {"color", {{"condition", {{"test", "datum.dark"}, {"value", "#ffffff"}}}, {"value", "#101418"}}}}}}};
  chart.spec = dump(spec);
  return chart;
}

}  // namespace starope
