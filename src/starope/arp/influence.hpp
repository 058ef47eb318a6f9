#pragma once

#include <vector>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/solve.hpp"
#include "starope/fold/fold.hpp"
#include "starope/problem.hpp"

namespace starope {

// The influence of every episode on J, n dJ/d(multiplicity of the episode) at fixed phi: one pass over the data.
// The values sum to zero, and sd / sqrt(n) is the standard error of J.
std::vector<double> influence_values(const ArpFold& recipe, const ArpStatistic& statistic, const ArpModel& model,
                                     const ArpSolution& solution, const Problem& problem,
                                     const FoldOptions& options = {});

}  // namespace starope
