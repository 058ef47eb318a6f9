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
// Which of them to believe, and why.
std::string belief(const std::vector<ReturnDistribution>& all);
// What was asked: "quantile 0.1", "mean of the worst 0.25", "probability below 20".
std::vector<std::string> risk_labels(const ReturnDistribution& distribution);
std::string distributions_text(const std::vector<ReturnDistribution>& all, const TextStyle& style);

}  // namespace starope
