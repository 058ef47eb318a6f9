// The second thing a STAR estimator needs is a clip, and it reads as one.
//
// GNU says: could not convert '2' from 'int' to 'starope::Clip'
// Clang says: no viable conversion from 'int' to 'starope::Clip'

#include "starope/estimators.hpp"

#ifdef WRONG
const starope::Star star{starope::One{}, 2};
#else
const starope::Star star{starope::One{}, starope::Clip::last(2)};
#endif
