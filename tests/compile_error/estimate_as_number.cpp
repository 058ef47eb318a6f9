// An estimate does not turn into a bare number by accident: its standard error and findings would be lost.
//
// GNU says: cannot convert 'starope::Estimate' to 'double'
// Clang says: no viable conversion from returned value of type 'starope::Estimate' to function return type 'double'

#include "starope/estimators.hpp"

double value(const starope::Problem& problem) {
#ifdef WRONG
  return starope::estimate(starope::Naive{}, problem);
#else
  return starope::estimate(starope::Naive{}, problem).value;
#endif
}
