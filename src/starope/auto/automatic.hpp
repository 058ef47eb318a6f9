#pragma once

#include <cstdint>
#include <vector>

#include "starope/auto/evidence.hpp"
#include "starope/auto/families.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/paired_shift.hpp"
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

// An estimate and how it came about.
struct AutoFit {
  Estimate estimate{};
  AutoHorizon horizon{};
  HorizonEnds ends{};
  std::vector<std::int64_t> ladder{};  // of the cells that were used
  int seeds = 0;
  LadderDrift drift{};
  PairedShift finest{};  // where only the two finest levels are used: what the finest alone says beyond them
  double unsupported = 0.0;
  CrossEvidence evidence{};
  LearningCurve curve{};
  WeighedAnswer answer{};
  double scores = 0.0;                   // how many episodes the scores' spread rests on
  std::vector<double> plain_of_level{};  // mean plain value of the members on each level, coarsest first
  std::vector<double> by_levels{};       // cells: double ARP of the l+1 finest levels
  std::vector<double> by_seed{};
};

AutoFit fit(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
