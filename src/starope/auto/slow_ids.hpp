#pragma once

#include <cstdint>
#include <vector>

#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Directions of the slow features (slow_features.hpp) where a state is an id, that is, a vector with a single 1. Then
// C0 is a diagonal minus a product p p' and C1 as sparse as the moves that occur, so nothing of size ids x ids is ever
// made: time and memory grow with the ids and with the moves that occur.
struct SlowDirections {
  std::int64_t features = 0;
  std::vector<double> of_id{};  // [code of the id][feature]: lambda^3 u
};

struct SlowIdOptions {
  std::int64_t most = 32;  // features; fewer if there are fewer ids
  double ridge = 0.1;      // of the mean variance; positive
};

// What the ids are called does not matter: they are counted in the order in which the logs show them, to the last bit.
// Without features if no episode has two steps or there is one id only.
SlowDirections slow_directions_of_ids(const Problem& problem, const SlowIdOptions& options = {},
                                      Threads threads = Threads::all());

}  // namespace starope
