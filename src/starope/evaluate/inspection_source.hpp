#pragma once

#include <vector>

#include "starope/finding.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"

namespace starope {

// What who read the logs knows, and the data themselves do not.

// Whether a column says how episodes ended.
bool ends_are_logged(const io::ReadSummary& summary);

// File and columns, and what the reader found, among the other findings: the worst first.
void describe_source(Inspection& inspection, const io::ReadSummary& summary, const std::vector<Finding>& findings);

}  // namespace starope
