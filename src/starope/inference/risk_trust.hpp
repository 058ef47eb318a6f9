#pragma once

#include <cstdint>
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

// Of a process the same is not counted: the share of the effective episodes behind it that belongs on that side. (What
// no rollout does has none on that side; widened intervals say what that means.)
void add_expected_sides(ReturnDistribution& process);

// The largest difference of two distribution functions.
double largest_distance(const StepFunction& a, const StepFunction& b);

// So much of the mass moved from the best returns to the worst one (shift > 0), or from the worst to the best.
StepFunction shifted(const StepFunction& distribution, double shift);

// The share of the logged returns that lie where the middle 80 % of the target policy's do.
double shared_returns(const StepFunction& logged, const StepFunction& target);

// What a process showed where it was asked about the logged policy, whose returns are known.
struct ProcessTrial {
  double distance = 0.0;  // the largest difference from the distribution of the logged returns
  double shared = 1.0;    // the share of them that lie where the target policy's would
  double logged_episodes = 0.0, rollouts = 0.0;

  // A trial on few of the returns that matter: what is wrong there is hardly seen in the whole.
  bool elsewhere() const noexcept;
};

// How far the shape of a process may be wrong: three times the distance, without the part that chance has in that; and
// more where the trial was elsewhere, since the same number of wrong episodes is a larger share of the few.
double shape_error(const ProcessTrial& trial);

// Says which of the distributions to believe, with findings where episodes are too few or the process is too coarse:
// weighted episodes where ten effective ones stand on both sides of everything that was asked, or else the process if
// it reproduces the logged returns, or else none. Where `cut` of the `episodes` were cut off before all the steps that
// count, their returns are not those that were asked about, and weights do not help.
struct CutReturns {
  std::int64_t cut = 0, episodes = 0;
};
void judge(std::vector<ReturnDistribution>& all, const std::optional<ProcessTrial>& trial, CutReturns returns = {});

}  // namespace starope
