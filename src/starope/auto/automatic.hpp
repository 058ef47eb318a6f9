#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/family_mix.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/markov.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// How many steps count: the problem's horizon, or the one length of truncated episodes, or, where no episode is cut
// off, the longest one; where ten episodes or more all terminate after the same number of steps, no more than those.
// InvalidArgument if episodes are cut off at different lengths and there is no horizon.
struct AutoHorizon {
  std::int64_t steps = 0;
  bool assumed = false;  // the longest episode, because nothing says where episodes would be cut
};
AutoHorizon auto_horizon(const Problem& problem);

// Where the logs run out: steps that fewer than ten logged episodes reach.
struct LateSteps {
  std::optional<std::int64_t> from{};  // the first such step
  double share = 0.0;                  // of the target policy's weight
};

// An estimate and how it came about.
struct AutoFit {
  Estimate estimate{};
  AutoHorizon horizon{};
  HorizonEnds ends{};
  std::vector<std::int64_t> ladder{};
  int seeds = 0;
  LadderDrift drift{};
  MarkovTest markov{};
  bool history_used = false;
  LateSteps late{};
  double unsupported = 0.0;
  std::optional<FamilyMix> families{};  // without history
  ErrorTerms errors{};
  double scores = 0.0;                   // how many episodes the scores' spread rests on
  std::vector<double> plain_of_level{};  // mean plain value of the members on each level, coarsest first
  std::vector<double> by_levels{};       // double ARP of the l+1 finest levels
  std::vector<double> by_seed{};
};

AutoFit fit(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
