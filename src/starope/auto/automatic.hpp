#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/evidence.hpp"
#include "starope/auto/families.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/paired_shift.hpp"
#include "starope/auto/unmarked_cuts.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/seen_logs.hpp"
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
AutoHorizon auto_horizon(const SeenLogs& logs, std::optional<Horizon> asked);

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
  double beyond = 0.0;             // share of the target policy's episodes that go on after an assumed horizon
  UnmarkedCuts cuts{};             // whether nothing in the logs explains where episodes end
  std::optional<double> if_cut{};  // where that is so: the answer if those are cuts that nobody marked
  CrossEvidence evidence{};
  LearningCurve curve{};
  WeighedAnswer answer{};
  double scores = 0.0;                   // how many episodes the scores' spread rests on
  std::vector<double> plain_of_level{};  // mean plain value of the members on each level, coarsest first
  std::vector<double> by_levels{};       // cells: double ARP of the l+1 finest levels
  std::vector<double> by_seed{};
};

AutoFit fit(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});

// Its two parts: the families and what they answer together, where `models` are kept if they are asked for; and what is
// told about the estimate.
AutoFit weigh_families(const Auto& automatic, const Problem& problem, const AutoHorizon& horizon,
                       const EstimateOptions& options, std::optional<FamilyModels>* models);
void report(AutoFit& fit, const Auto& automatic, const Problem& problem);

// On logs of which `auto` takes a sample (auto_fold.hpp), that is what it is fitted to.
Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
