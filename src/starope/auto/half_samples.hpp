#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// The double ARP of two halves of the episodes, each with its own models on the bag's cells. How much the halves
// differ says how much the estimate varies; how much they differ together from the whole says how stable it is.
struct HalfSample {
  double pooled[2] = {0.0, 0.0};
  double indexed[2] = {0.0, 0.0};
};

enum class Families { pooled, both };  // without `both`, indexed stays 0

struct HalfSampleOptions {
  int splits = 8;
  Families families = Families::both;
  Seed seed{};
};

// One per split; none if there are fewer than two episodes.
std::vector<HalfSample> half_samples(const Bag& bag, const Problem& problem, const HalfSampleOptions& options,
                                     Threads threads = Threads::all());

}  // namespace starope
