#pragma once

#include "starope/base/types.hpp"
#include "starope/auto/bag.hpp"
#include "starope/data/problem.hpp"

namespace starope {

// What the abstractions of a bag measure distances in, by the kind of the logged states: numbers are standardised over
// the states that count (0/1 columns stay as they are); many 0/1 columns, and ids, become slow features.
// DataError if the logs have no states.
BagFeatures bag_features(const Problem& problem, Threads threads = Threads::all());

// The state together with what happened just before: [x_t, 0.7 x_{t-1}, last action], zeros at the start of an episode.
// Discrete actions are one-hot, continuous ones standardised and counted 0.7. `features` are those of the state.
BagFeatures with_history(const BagFeatures& features, const Problem& problem);

}  // namespace starope
