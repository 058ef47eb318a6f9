#pragma once

#include <cstdint>

#include "starope/estimators.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

// How many episodes the standard error rests on, and how many there are.
inline double effective_scores(const Estimate& estimate) {
  return estimate.influence.empty() && estimate.spread ? estimate.spread->effective_scores
                                                       : effective_scores(estimate.influence);
}
inline std::int64_t scored_episodes(const Estimate& estimate) {
  return estimate.influence.empty() && estimate.spread ? estimate.spread->episodes
                                                       : static_cast<std::int64_t>(estimate.influence.size());
}

// What leaves an estimator: a value that is no number is a DegenerateModel, with what to do about it; a standard error
// that is none is unknown.
Estimate finite(Estimate estimate);

inline ScoreSpread spread_of(const ScoreMoments& scores) {
  return {.episodes = scores.plain().count(), .effective_scores = scores.effective_scores()};
}

}  // namespace starope
