// There is no default clip: none, or the last so many steps.
//
// GNU says: no matching function for call to 'starope::Clip::Clip
// Clang says: no matching constructor for initialization of 'const starope::Clip'

#include "starope/types.hpp"

#ifdef WRONG
const starope::Clip clip{};
#else
const starope::Clip clip = starope::Clip::none();
#endif
