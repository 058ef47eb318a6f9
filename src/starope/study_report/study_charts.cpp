#include "starope/study_report/study_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "starope/base/text.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/report/chart_spec.hpp"
#include "starope/report/html.hpp"
#include "starope/study.hpp"
#include "starope/study/estimator_grid.hpp"

namespace starope {
namespace {

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

// The estimators that are shown beside grids, with their usual options: the place among them, and the color.
std::optional<std::size_t> landmark_color(const std::string& estimator) {
  std::size_t color = 3;
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (!spec.landmark) continue;
    const bool automatic = spec.role == EstimatorRole::automatic;
    if (spec.name == estimator) return automatic ? 2 : color;
    if (!automatic) ++color;
  }
  return std::nullopt;
}

// Endpoints have the colors of the other charts, grids what is left.
Json series_colors(const std::vector<std::string>& series) {
  const Json all = chart_colors();  // best, median, auto, two landmarks, further grids
  const std::vector<std::size_t> grids{0, 5, 6, 7};
  Json colors = Json::array();
  std::size_t next = 0;
  for (const std::string& each : series) {
    if (const auto landmark = landmark_color(each)) {
      colors.push_back(all.at(*landmark));
    } else {
      colors.push_back(all.at(grids[next++ % grids.size()]));
    }
  }
  return colors;
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
      if (in_grid[i] || (role_of(each.estimator) == EstimatorRole::automatic) != automatic) continue;
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
  if (of.winner) winner = fmt::format(" The smallest is {}.", of.estimators[*of.winner].estimator);
  Chart chart{.group = of.domain,
              .title = counted(of.size, "episode"),
              .description = fmt::format("Mean squared errors of {} estimators for {} with {} episodes, split into "
                                         "squared bias and variance.{}",
                                         values.size(), of.domain, with_thousands(of.size), winner)};
  const std::size_t rows = values.size();
  Json spec = chart_spec("errors", chart.description, std::move(values));
  set_rows(spec, rows);
  Json& x = spec.at("encoding").at("x");
  x.at("scale").at("domain") = {range.first, range.second};
  x.at("axis").at("values") = powers_of_ten(range);
  // Some bars are many powers of ten long, and there is room for about four labels.
  const auto powers = static_cast<int>(std::lround(std::log10(range.second / range.first)));
  spec.at("params").at(0).at("value") = std::max(1, (powers + 3) / 4);
  // Bars that are longer than the axis end in a triangle.
  spec.at("layer").back().at("transform").at(0).at("filter") = fmt::format("datum.mse > {}", range.second);
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
      if (landmark_color(each.estimator)) add(of, each.estimator, each, "endpoint");
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
  Json spec = chart_spec("configurations", chart.description, std::move(values));
  Json& encoding = spec.at("encoding");
  Json &y = encoding.at("y"), &color = encoding.at("color");
  y.at("scale").at("domain") = {range.first, range.second};
  y.at("axis").at("values") = powers_of_ten(range);
  encoding.at("xOffset").at("sort") = color.at("sort") = color.at("scale").at("domain") = series;
  color.at("scale").at("range") = series_colors(series);
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
  Json spec = chart_spec("heatmap", chart.description, std::move(values));
  set_rows(spec, rows.size());
  spec.at("layer").at(0).at("encoding").at("color").at("scale").at("domain") = {range.first, range.second};
  chart.spec = dump(spec);
  return chart;
}

}  // namespace starope
