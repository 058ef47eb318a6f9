#pragma once

#include "starope/report/page.hpp"
#include "starope/study.hpp"

namespace starope {

// What study_report writes as HTML.
Page study_page(const StudySummary& summary);

}  // namespace starope
