#pragma once

#include <string>

#include "starope/evaluate/evaluation.hpp"
#include "starope/report/page.hpp"

namespace starope {

// An evaluation to look at: estimates with their intervals, effective sample sizes by step, the abstract processes with
// their states described, findings. What an evaluation has only with details (weights by step, processes) is shown
// where it is there.
Page evaluation_page(const Evaluation& evaluation);
std::string evaluation_report(const Evaluation& evaluation);  // HTML

}  // namespace starope
