#pragma once

#include "starope/base/types.hpp"

namespace starope {

// What the end of a recording means for the model: an exit, or an outcome that was not seen.
enum class TruncationRule { end, censor };

// One model for all time steps, or one cell per (abstract state, time step).
enum class TimeModel { pooled, indexed };

// Everything besides the labels that decides what an ARP statistic counts.
struct ArpOptions {
  Clip clip = Clip::last(1);
  TruncationRule truncation = TruncationRule::end;
  TimeModel time = TimeModel::pooled;
  friend bool operator==(const ArpOptions&, const ArpOptions&) = default;
};

}  // namespace starope
