// Two integers in the wrong order.
//
// GNU says: no matching function for call to 'starope::Random::Random
// Clang says: no matching constructor for initialization of 'starope::Random'

#include "starope/rng/random.hpp"

std::uint64_t draw(starope::Seed seed) {
#ifdef WRONG
  return starope::Random(starope::Stream::rollout, seed, 7).bits();
#else
  return starope::Random(seed, starope::Stream::rollout, 7).bits();
#endif
}
