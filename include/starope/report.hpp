#pragma once

// Studies and evaluations as pages to look at: one self-contained HTML file each. Library starope::report.

#include <string>

#include "starope/compare.hpp"
#include "starope/evaluate.hpp"
#include "starope/version.hpp"

namespace starope {

struct StudySummary;  // <starope/study.hpp>

// Whether this build can make pages: the chart runtime was there when it was built.
STAROPE_API bool has_chart_runtime() noexcept;

// An evaluation to look at: the answer and whether to trust it, estimates with their intervals, groups, what speaks for
// and against the answer, effective sample sizes by step, the abstract processes with their states described. What an
// evaluation has only with details (weights by step, processes) is shown where it is there. FileError where the build
// has no chart runtime.
STAROPE_API std::string evaluation_report(const Evaluation& evaluation);

// Policies that were compared, to look at: their values, and the differences of all pairs.
STAROPE_API std::string comparison_report(const Comparison& comparison);

// What a study found, to look at: who wins, the paper's Figures 2, 3 and 4, and every number as a table.
STAROPE_API std::string study_report(const StudySummary& summary);

}  // namespace starope
