#pragma once

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"

namespace starope {

// The state together with what happened just before: [x_t, 0.7 x_{t-1}, last action], zeros at the start of an episode.
// Discrete actions are one-hot, continuous ones standardized and counted 0.7. `features` are those of the state.
BagFeatures with_history(const BagFeatures& features, const Problem& problem);

// The state together with fading memories of all that happened before (docs/auto-math.md 4.2), for effects that last
// longer than a step and for noisy sensors:
//
//     u_t = [0.7 x_t, action, 0.7 (r_t - mean r) / sd r]      e_0 = 0, e_{t+1} = fading e_t + (1 - fading) u_t
//
// and the features of step t are [x_t, 1.3 e_t]. Slow features are brought to a total variance of 4 before.
BagFeatures with_traces(const BagFeatures& features, const Problem& problem, double fading);

}  // namespace starope
