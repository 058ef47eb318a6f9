#pragma once

#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct One {  // a single abstract state
  friend bool operator==(One, One) = default;
};
struct Time {  // phi(s, t) = t
  friend bool operator==(Time, Time) = default;
};
struct Identity {  // every distinct state is its own abstract state
  friend bool operator==(Identity, Identity) = default;
};

FittedAbstraction fit_one(const Dataset& data);

// A step's label is its t inside the episode; the state after the last of T steps has label T.
FittedAbstraction fit_time(const Dataset& data);

// Discrete states: the state's code. Features: the distinct vectors (exactly equal numbers), in lexicographic order.
FittedAbstraction fit_identity(const Problem& problem);

}  // namespace starope
