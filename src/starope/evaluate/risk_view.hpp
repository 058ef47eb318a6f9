#pragma once

#include <string>
#include <vector>

#include "starope/evaluate/json.hpp"
#include "starope/risk.hpp"
#include "starope/text.hpp"

namespace starope {

// Distributions of returns: as JSON, back, and for people.
Json distributions_json(const std::vector<ReturnDistribution>& all);
std::vector<ReturnDistribution> distributions_from(const Json& json);
std::string distributions_text(const std::vector<ReturnDistribution>& all, const TextStyle& style);

}  // namespace starope
