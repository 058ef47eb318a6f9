// A data set is checked once, when it is built; nobody changes it behind that.
//
// GNU says: assignment of read-only location
// Clang says: cannot assign to return value

#include "starope/data.hpp"

double first_reward(starope::Dataset& data) {
#ifdef WRONG
  data.rewards()[0] = 1.0;
#endif
  return data.rewards()[0];
}
