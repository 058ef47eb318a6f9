#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "starope/evaluate.hpp"
#include "starope/finding.hpp"

namespace starope {

// What one finding, about the logs or of the estimate that answers, makes of the verdict.
struct VerdictRule {
  std::string_view code{};
  std::string_view parameter{};  // if given, it applies where this parameter of the finding is above ...
  double above = 0.0;            // ... this number,
  double below = std::numeric_limits<double>::infinity();  // and below this one
  Severity least = Severity::warning;                      // and applies from this severity on
  Grade grade = Grade::doubtful;
  std::string_view reason{};  // with the placeholders of the finding's sentence
  std::string_view advice{};  // what to log or to change
};

// In the order of weight: of several that apply with the worst grade, the first two are the reasons. A finding that no
// rule is about makes an answer doubtful where it is a warning, and not answerable where it is critical.
std::span<const VerdictRule> verdict_rules();

// The rules as a table of the documentation.
std::string verdict_page();

}  // namespace starope
