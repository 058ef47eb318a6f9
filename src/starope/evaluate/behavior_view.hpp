#pragma once

#include <cstdint>
#include <string>

#include "starope/evaluate.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/text.hpp"

namespace starope {

// The estimated behavior policy of an evaluation: as JSON, back, and for people.
Json behavior_json(const BehaviorView& view);
BehaviorView behavior_from(const Json& json);
std::string behavior_text(const BehaviorView& view, const TextStyle& style);
std::string estimated_words(
    const BehaviorView& view);  // "12 behavior probabilities that were not logged were estimated"

// The standard error of what was observed if the predictions are right. (Actions of one step exclude each other, which
// makes it smaller, if anything.)
double calibration_error(const CalibrationBin& bin);
// Fewer pairs of step and action say nothing about a range of probabilities.
inline constexpr std::int64_t enough_for_calibration = 50;

}  // namespace starope
