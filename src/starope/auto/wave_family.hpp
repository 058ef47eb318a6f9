#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "starope/auto/cell_family.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/half_splits.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/auto/wave_model.hpp"

namespace starope {

// Smooth functions of the state, several draws of them, and what they need to know of the episodes, group by group.
struct Waves {
  WaveRows rows;
  std::vector<std::vector<WaveSums>> of_group{};  // [group][draw]
};

// `groups`: of episodes; every episode is in one. The features must outlive the waves.
Waves fit_waves(const BagFeatures& features, const Problem& problem, const WaveOptions& options,
                const std::vector<std::vector<std::int64_t>>& groups, Threads threads = Threads::all());

// Models of the episodes in some groups: one per draw, for the first `draws` of them.
std::vector<WaveModel> wave_models(const Waves& waves, std::span<const std::size_t> groups, const WaveSolve& options,
                                   std::size_t draws = std::numeric_limits<std::size_t>::max());

}  // namespace starope
