#pragma once

#include <optional>
#include <span>
#include <vector>

#include "starope/inference/step_function.hpp"
#include "starope/risk.hpp"

namespace starope {

// How many effective episodes stand on the side of an answer that fewer stand on: (sum W)^2 / sum W^2 of those with a
// smaller return and of the others. A side on which no episode at all was logged says nothing. In the order of
// risk_numbers.
std::vector<double> effective_sides(std::span<const double> returns, std::span<const double> weights,
                                    const RiskQuestion& question);

// (sum W)^2 / sum W^2.
double effective_weights(std::span<const double> weights);

// The largest difference of two distribution functions.
double largest_distance(const StepFunction& a, const StepFunction& b);

// So much of the mass moved from the best returns to the worst one (shift > 0), or from the worst to the best.
StepFunction shifted(const StepFunction& distribution, double shift);

// How far the shape of a process may be wrong: three times the distance from the logged returns that it shows where it
// is asked about the logged policy, without the part that chance has in that.
double shape_error(double distance, double logged_episodes, double rollouts);

// Says which of the distributions to believe, with findings where episodes are too few or the process is too coarse:
// weighted episodes where ten effective ones stand on both sides of everything that was asked, or else the process if
// it reproduces the logged returns, or else none.
void judge(std::vector<ReturnDistribution>& all, std::optional<double> process_error);

}  // namespace starope
