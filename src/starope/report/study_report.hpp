#pragma once

#include <string>

#include "starope/report/page.hpp"
#include "starope/study/summary.hpp"

namespace starope {

// What a study found, to look at: who wins, the paper's Figures 2, 3 and 4, and every number as a table.
Page study_page(const StudySummary& summary);
std::string study_report(const StudySummary& summary);  // HTML

}  // namespace starope
