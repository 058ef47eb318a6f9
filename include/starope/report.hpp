#pragma once

// Studies and evaluations as pages to look at: one self-contained HTML file each. Library starope::report.

#include <string>

#include "starope/evaluate.hpp"
#include "starope/study.hpp"
#include "starope/version.hpp"

namespace starope {

// Whether this build can make pages: the chart runtime was there when it was built.
STAROPE_API bool has_chart_runtime() noexcept;

// An evaluation to look at: estimates with their intervals, effective sample sizes by step, the abstract processes with
// their states described, findings. What an evaluation has only with details (weights by step, processes) is shown
// where it is there. FileError where the build has no chart runtime.
STAROPE_API std::string evaluation_report(const Evaluation& evaluation);

// What a study found, to look at: who wins, the paper's Figures 2, 3 and 4, and every number as a table.
STAROPE_API std::string study_report(const StudySummary& summary);

}  // namespace starope
