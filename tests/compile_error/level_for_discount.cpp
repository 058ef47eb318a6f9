// Both are numbers below one; they are not the same thing.
//
// GNU says: could not convert .* from 'starope::Level' to 'starope::Discount'
// Clang says: no viable conversion from 'starope::Level' to 'starope::Discount'

#include "starope/problem.hpp"

#ifdef WRONG
const starope::ProblemOptions options{.discount = starope::Level{0.95}};
#else
const starope::ProblemOptions options{.discount = starope::Discount{0.95}};
#endif
