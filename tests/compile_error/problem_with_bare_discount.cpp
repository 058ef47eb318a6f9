// A bare number after the data could be a discount, a level or a horizon.
//
// GNU says: no matching function for call to 'make_problem
// Clang says: no matching function for call to 'make_problem

#include "starope/problem.hpp"

starope::Problem ask(const starope::Dataset& data) {
#ifdef WRONG
  return starope::make_problem(data, 0.9);
#else
  return starope::make_problem(data, {.discount = starope::Discount{0.9}});
#endif
}
