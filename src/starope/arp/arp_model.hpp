#pragma once

#include <cstdint>
#include <vector>

#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/move_counts.hpp"

namespace starope {

// An abstract reward process: P = move / seen, R = reward / visit, eta = start / n, with seen = visit - cut.
// P is sub-stochastic: what a row lacks to 1 is the measured exit share, kept as a number of its own because
// 1 - (row sum) would lose its digits where exits are rare.
struct ArpModel {
  std::int64_t cells = 0;
  double episodes = 0.0;
  std::vector<double> start{};   // eta
  SparseRows transition{};       // P
  std::vector<double> exit{};    // exit / seen
  std::vector<double> reward{};  // R; 0 where nothing was seen
  std::vector<double> visit{};   // total weight of the steps in a cell ...
  std::vector<double> seen{};    // ... and of those whose outcome is known; in the unit of the statistic
};

ArpModel make_model(const ArpStatistic& statistic);

}  // namespace starope
