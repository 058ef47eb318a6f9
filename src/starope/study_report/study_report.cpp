#include "starope/study_report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/base/text.hpp"
#include "starope/report.hpp"
#include "starope/study.hpp"
#include "starope/study_report/study_charts.hpp"

namespace starope {
namespace {

std::vector<std::string> domains_of(const StudySummary& summary) {
  std::vector<std::string> domains;
  for (const CaseSummary& of : summary.cases) {
    if (domains.empty() || domains.back() != of.domain) domains.push_back(of.domain);
  }
  return domains;
}

HtmlTable winners(const StudySummary& summary) {
  HtmlTable table{.caption = "Who wins: mean squared errors by case",
                  .columns = {{"domain"},
                              {"episodes", true},
                              {"true value", true},
                              {"smallest error"},
                              {"its MSE", true},
                              {"best STAR", true},
                              {"median STAR", true},
                              {"auto", true},
                              {"best other", true},
                              {"which"}}};
  const auto mse = [](const CaseSummary& of, const std::optional<std::size_t>& i) {
    return i ? short_number(of.estimators[*i].mse) : std::string();
  };
  for (const CaseSummary& of : summary.cases) {
    const FamilySummary* family = of.families.empty() ? nullptr : &of.families.front();
    table.rows.push_back({of.domain, with_thousands(of.size), of.truth ? fmt::format("{:.6g}", of.truth->value) : "",
                          of.winner ? of.estimators[*of.winner].estimator : "", mse(of, of.winner),
                          family ? mse(of, family->best) : "", family ? mse(of, family->median) : "",
                          mse(of, of.automatic), mse(of, of.best_baseline),
                          of.best_baseline ? of.estimators[*of.best_baseline].estimator : ""});
  }
  return table;
}

std::optional<HtmlTable> beside_the_paper(const StudySummary& summary) {
  HtmlTable table{.caption = "Beside the paper's Figure 3 (read off its axis, about 10 % off)",
                  .columns = {{"domain"},
                              {"episodes", true},
                              {"best STAR here", true},
                              {"paper", true},
                              {"median STAR here", true},
                              {"paper", true},
                              {"best other here", true},
                              {"paper", true},
                              {"the paper's best other"}}};
  for (const CaseSummary& of : summary.cases) {
    if (!of.paper || of.families.empty()) continue;
    const FamilySummary& family = of.families.front();
    table.rows.push_back(
        {of.domain, with_thousands(of.size), short_number(of.estimators[family.best].mse),
         (of.paper->star_best_below ? "< " : "") + short_number(of.paper->star_best),
         short_number(of.estimators[family.median].mse), short_number(of.paper->star_median),
         of.best_correcting_baseline ? short_number(of.estimators[*of.best_correcting_baseline].mse) : "",
         short_number(of.paper->baseline_best), of.paper->baseline});
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

HtmlTable every_number(const StudySummary& summary, bool grids) {
  HtmlTable table{.columns = {{"domain"},
                              {"episodes", true},
                              {"estimator"},
                              {"trials", true},
                              {"failures", true},
                              {"MSE", true},
                              {"standard error", true},
                              {"bias²", true},
                              {"variance", true},
                              {"coverage", true},
                              {"seconds", true}}};
  const auto add = [&](const CaseSummary& of, const EstimatorSummary& each) {
    const std::string squared = each.bias ? short_number(*each.bias * *each.bias) : "";
    table.rows.push_back({of.domain, with_thousands(of.size), each.estimator, with_thousands(each.trials),
                          with_thousands(each.failures), short_number(each.mse), short_number(each.mse_std_error),
                          squared, short_number(each.variance), short_number(each.coverage),
                          short_number(each.seconds)});
  };
  for (const CaseSummary& of : summary.cases) {
    if (!grids) {
      for (const ComparedEstimator& each : compared_estimators(of)) add(of, *each.summary);
      continue;
    }
    for (const FamilySummary& family : of.families) {
      for (const std::size_t i : family.members) add(of, of.estimators[i]);
    }
  }
  return table;
}

Figure errors(const StudySummary& summary) {
  Figure figure{
      .id = "errors",
      .title = "Errors, and what they are made of",
      .caption =
          "As the paper's Figure 3: the solid part of a bar is squared bias, the pale part variance, their sum "
          "the mean squared error; the line is its standard error over the trials. The axis is logarithmic, "
          "the same for all sizes of a domain. Red: the best configuration of a grid; gray: its median; blue: "
          "auto; brown: everything else. A triangle: the bar is longer than the axis.",
      .columns = 4,
      .table = every_number(summary, false)};
  for (const CaseSummary& of : summary.cases) {
    if (compared_estimators(of).size() > 12) figure.columns = 2;  // their long names need the room
    if (auto chart = error_chart(of, error_range(summary, of.domain))) figure.charts.push_back(std::move(*chart));
  }
  return figure;
}

Figure configurations(const StudySummary& summary) {
  Figure figure{.id = "configurations",
                .title = "Every configuration",
                .caption =
                    "As the paper's Figure 2: each point is one (φ, c) of a grid; a diamond marks the best, a "
                    "square the median; bars are estimators without a choice to make.",
                .columns = 2};
  for (const std::string& domain : domains_of(summary)) {
    if (auto chart = configurations_chart(summary, domain)) figure.charts.push_back(std::move(*chart));
  }
  figure.table = every_number(summary, true);
  return figure;
}

std::pair<double, double> log_range(const StudySummary& summary, const std::string& domain, const std::string& family) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const CaseSummary& of : summary.cases) {
    for (const FamilySummary& each : of.families) {
      if (of.domain != domain || each.family != family) continue;
      for (const std::size_t i : each.members) {
        const std::optional<double> mse = of.estimators[i].mse;
        if (!mse || !(*mse > 0.0)) continue;
        low = std::min(low, std::log10(*mse));
        high = std::max(high, std::log10(*mse));
      }
    }
  }
  return {low, high};
}

std::vector<Figure> heatmaps(const StudySummary& summary) {
  std::vector<std::string> families;
  for (const CaseSummary& of : summary.cases) {
    for (const FamilySummary& family : of.families) {
      if (std::find(families.begin(), families.end(), family.family) == families.end()) {
        families.push_back(family.family);
      }
    }
  }
  std::vector<Figure> figures;
  for (const std::string& name : families) {
    Figure figure{
        .id = fmt::format("grid-{}", figures.size() + 1),
        .title = fmt::format("Cells and clips: {}", family_label(name)),
        .caption = fmt::format("As the paper's Figure 4, for {}: mean squared error by number of cells |Z| and "
                               "clip c. Yellow is small, dark is large, on one logarithmic scale per domain.",
                               name),
        .columns = 4};
    for (const CaseSummary& of : summary.cases) {
      for (const FamilySummary& family : of.families) {
        if (family.family != name) continue;
        if (auto chart = heatmap_chart(of, family, log_range(summary, of.domain, name))) {
          figure.charts.push_back(std::move(*chart));
        }
      }
    }
    if (!figure.charts.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

Page study_page(const StudySummary& summary) {
  Page page{.title = fmt::format("Study {}", summary.study)};
  page.lead.push_back(fmt::format(
      "{} of {} in {}. Every error is measured against the true value of the target policy.",
      counted(summary.results, "result"), counted(static_cast<std::int64_t>(domains_of(summary).size()), "domain"),
      counted(static_cast<std::int64_t>(summary.cases.size()), "case")));
  if (summary.failures > 0) {
    page.notes.push_back(
        {"warning", fmt::format("{} are errors: an estimator had no answer. The tables count them, and "
                                "who failed cannot win.",
                                counted(summary.failures, "result"))});
  }
  page.tables.push_back(winners(summary));
  if (auto table = beside_the_paper(summary)) page.tables.push_back(std::move(*table));
  page.figures.push_back(errors(summary));
  if (Figure figure = configurations(summary); !figure.charts.empty()) page.figures.push_back(std::move(figure));
  for (Figure& figure : heatmaps(summary)) page.figures.push_back(std::move(figure));
  return page;
}

std::string study_report(const StudySummary& summary) {
  return page_html(study_page(summary));
}

}  // namespace starope
