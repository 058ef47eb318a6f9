#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "starope/report/page.hpp"
#include "starope/study.hpp"

namespace starope {

// The charts of a study as Vega-Lite specifications. They hold their data, so any tool that knows Vega-Lite shows them.

// What an estimator is in a comparison.
enum class Role { best, median, automatic, other };

// One bar of the comparison: the best and the median of every grid, `auto`, and everything outside of grids.
struct ComparedEstimator {
  std::string label{};  // "STAR best"
  Role role = Role::other;
  const EstimatorSummary* summary = nullptr;  // of the case it was made from
};
std::vector<ComparedEstimator> compared_estimators(const CaseSummary& of);

// "STAR" for the paper's grid, with the values of its other options behind it for others: "STAR random".
std::string family_label(const std::string& family);

// The smallest and largest MSE that the charts of a domain show, as powers of ten around all of them.
std::pair<double, double> error_range(const StudySummary& summary, const std::string& domain);

// The paper's Figure 3, one panel: bias^2 and variance stacked up to the MSE on a logarithmic axis, with its standard
// error. Empty where there is no true value.
std::optional<Chart> error_chart(const CaseSummary& of, std::pair<double, double> range);

// Figure 2: every member of every grid as a point, over the sizes, beside the endpoints wpdis and mb, and `auto`.
std::optional<Chart> configurations_chart(const StudySummary& summary, const std::string& domain);

// Figure 4: log MSE over |Z| x c. `range`: of the colors, in log10.
std::optional<Chart> heatmap_chart(const CaseSummary& of, const FamilySummary& family, std::pair<double, double> range);

}  // namespace starope
