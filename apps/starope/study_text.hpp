#pragma once

#include <string>

#include "starope/study.hpp"
#include "terminal.hpp"

namespace starope::cli {

// The summary of a study for people: a table per case (of every grid its best and median), who wins, and the paper's
// figures beside ours where the case is one of the paper's.
std::string study_text(const StudySummary& summary, const Terminal& terminal);

}  // namespace starope::cli
