#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "starope/data.hpp"

namespace starope {

// Is the state Markov? If it is, nothing that was seen before a step helps to foresee what follows it.
struct HistoryGain {
  std::string of{};        // what the row before helps to foresee most: "reward", "state", or the name of a feature
  double gain = 0.0;       // the share of what state and action leave open that it explains, in episodes held out
  double errors = 0.0;     // how many standard errors that is above zero
  std::int64_t steps = 0;  // that were looked at
  bool matters = false;    // beyond chance, and not little
};

// Two regressions (for ids: tables of frequencies) on one half of the episodes, tried on the other, both ways: from the
// state and the action alone, and from these and the row before. The first is flexible, and where it leaves next to
// nothing open there is nothing to gain. None where that cannot be asked: too few steps, no states, too many features.
std::optional<HistoryGain> history_gain(const Dataset& sample);

}  // namespace starope
