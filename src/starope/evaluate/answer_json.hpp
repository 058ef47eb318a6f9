#pragma once

#include <optional>
#include <string>

#include "starope/evaluate.hpp"
#include "starope/evaluate/json.hpp"

namespace starope {

// Answers as JSON: the parts that evaluations and comparisons have in common.
Json interval_json(const std::optional<Interval>& interval);
Json difference_json(const Difference& difference);
Json verdict_json(const Verdict& verdict);
Json answer_summary_json(const std::string& estimator, const Estimate& estimate);  // its numbers and findings
Json answer_json(const Answer& answer);  // the same with details and families, or the error

// The way back.
std::optional<Interval> interval_from(const Json& json);
Difference difference_from(const Json& json);
Verdict verdict_from(const Json& json);
Answer answer_from(const Json& json);

}  // namespace starope
