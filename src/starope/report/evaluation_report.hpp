#pragma once

#include <string>
#include <string_view>

#include "starope/report/page.hpp"

namespace starope {

// An evaluation to look at: estimates with their intervals, effective sample sizes by step, the abstract processes with
// their states described, findings. From the JSON that `starope evaluate --json` prints; what it has only with
// --details (weights by step, processes) is shown where it is there. DataError where it is no such JSON.
Page evaluation_page(std::string_view json, const std::string& file);
std::string evaluation_report(std::string_view json, const std::string& file);  // HTML

}  // namespace starope
