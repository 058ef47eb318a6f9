#pragma once

#include "starope/compare.hpp"
#include "starope/report/page.hpp"

namespace starope {

// What comparison_report writes as HTML.
Page comparison_page(const Comparison& comparison);

}  // namespace starope
