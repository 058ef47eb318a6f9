#pragma once

#include <string>

#include "starope/evaluate.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/text.hpp"

namespace starope {

// The estimated behavior policy of an evaluation: as JSON, back, and for people.
Json behavior_json(const BehaviorView& view);
BehaviorView behavior_from(const Json& json);
std::string behavior_text(const BehaviorView& view, const TextStyle& style);

}  // namespace starope
