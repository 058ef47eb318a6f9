#pragma once

#include <cstdint>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"

namespace starope {

// How the episodes that reach the horizon H fare there. What follows their last step is worth nothing, but a model for
// all steps learns from it how often states end an episode.
struct HorizonEnds {
  std::int64_t ended = 0;    // terminated with step H-1
  std::int64_t went_on = 0;  // into a state that the logs show
  std::int64_t unknown = 0;  // cut off, and nothing is known of the next state
  // Of those that ended, how many would be expected from what the same states did at earlier steps; a state that was
  // never met earlier explains its own end.
  double expected = 0.0;

  // More ends than the states explain: it is the time that ends episodes.
  bool by_the_clock() const noexcept { return static_cast<double>(ended) > 1.0 + 2.0 * expected; }
  // A model for all steps must not learn from the last one if it would learn that more episodes end than do: where the
  // ends are seen and the continuations are not, and where the clock ends all that come so far.
  bool mislead() const noexcept { return ended > 0 && (unknown > 0 || (went_on == 0 && by_the_clock())); }
};

// `state_of_row`: equal numbers for rows whose states count as the same. The problem has a horizon.
HorizonEnds horizon_ends(const Problem& problem, const std::vector<Label>& state_of_row);

// The finest notion of "the same state" that a bag has: equal ids, or else a common cell on the finest level.
std::vector<Label> finest_states(const Bag& bag);

// The share of the target policy's episodes that would go on after the last step, beyond what the same chain of states
// makes of the logged policy's, which all end where none is cut: states that are not quite the same let both go on.
double longer_than_logged(const Problem& problem, const std::vector<Label>& state_of_row);

// The problem as models for all steps may see it.
Problem without_misleading_ends(const Problem& problem, const HorizonEnds& ends);

}  // namespace starope
