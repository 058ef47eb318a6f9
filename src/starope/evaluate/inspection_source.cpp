#include "starope/evaluate/inspection_source.hpp"

#include <algorithm>

namespace starope {

bool ends_are_logged(const io::ReadSummary& summary) {
  return std::any_of(summary.used.begin(), summary.used.end(),
                     [](const io::UsedColumn& used) { return used.role == "terminated" || used.role == "truncated"; });
}

void describe_source(Inspection& inspection, const io::ReadSummary& summary, const std::vector<Finding>& findings) {
  inspection.file = summary.file;
  inspection.recognized.clear();
  for (const io::UsedColumn& used : summary.used)
    inspection.recognized.push_back({.name = used.name, .role = used.role});
  inspection.ignored = summary.ignored;
  inspection.findings.insert(inspection.findings.end(), findings.begin(), findings.end());
  std::stable_sort(inspection.findings.begin(), inspection.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

}  // namespace starope
