#pragma once

#include "starope/phi/labels.hpp"
#include "starope/data/problem.hpp"

namespace starope {

struct One {};       // a single abstract state
struct Time {};      // phi(s, t) = t
struct Identity {};  // every distinct state is its own abstract state

Labels label_one(const Dataset& data);

// A step's label is its t inside the episode; the state after the last of T steps has label T.
Labels label_time(const Dataset& data);

// Discrete states: the state's code. Features: the distinct vectors (exactly equal numbers), in lexicographic order.
FittedAbstraction label_identity(const Problem& problem);

}  // namespace starope
