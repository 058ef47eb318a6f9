#pragma once

#include <cstdint>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/problem.hpp"

namespace starope {

// The doubly robust score with a window of c ratios (docs/auto-math.md 2.3), of all episodes, on a bag's pooled tables.
// Where abstract states hide something that lasts, one ratio per step corrects the wrong process; c ratios let c-1
// steps of true history into the weights. c = 1 is pooled_scores where every outcome was seen.
//
// W_u = rho_u .. rho_{min(u+c-1, end)};  usable: u with a seen outcome of step u+c-1, or an episode that terminated.
// D(z) = sum over usable u in z of g^u W_u;  omega_k = n d_k / D.
//
//   s = Vbar_0(s_0) + first c-1 steps, with the running products as self-normalized weights
//     + sum over usable u with u+c-1 inside the episode, t = u+c-1, of
//         g^t W_u sum_{k <= H-c} omegabar_k(s_u) [r_t + g Vbar_{k+c}(s_{t+1}) - Vbar_{k+c-1}(s_t)]
//
// A window as long as the horizon leaves only the first part: the weighted doubly robust estimator.
std::vector<double> windowed_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                                    std::int64_t window, Threads threads = Threads::all());

}  // namespace starope
