#pragma once

#include "starope/evaluate.hpp"
#include "starope/report/page.hpp"

namespace starope {

// What evaluation_report writes as HTML.
Page evaluation_page(const Evaluation& evaluation);

}  // namespace starope
