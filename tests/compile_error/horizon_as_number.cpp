// "No horizon" is an empty optional, so a horizon is not a number with a magic zero.
//
// GNU says: could not convert '0' from 'int' to 'std::optional<starope::Horizon>'
// Clang says: no viable conversion from 'int' to 'std::optional<Horizon>'

#include "starope/problem.hpp"

#ifdef WRONG
const starope::ProblemOptions options{.horizon = 0};
#else
const starope::ProblemOptions options{.horizon = {}};
#endif
