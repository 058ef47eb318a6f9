#include "starope/auto/wave_family.hpp"

#include <algorithm>

#include "starope/parallel/parallel_for.hpp"

namespace starope {

Waves fit_waves(const BagFeatures& features, const Problem& problem, const WaveOptions& options,
                const std::vector<std::vector<std::int64_t>>& groups, Threads threads) {
  Waves waves{.rows = WaveRows(draw_waves(features, problem, options), features, threads),
              .of_group = std::vector(groups.size(), std::vector<WaveSums>(options.draws))};
  const auto draws = static_cast<std::int64_t>(options.draws);
  parallel_for(static_cast<std::int64_t>(groups.size()) * draws, threads, [&](std::int64_t job) {
    const auto group = static_cast<std::size_t>(job / draws), draw = static_cast<std::size_t>(job % draws);
    waves.of_group[group][draw] = wave_sums(waves.rows, draw, problem, groups[group]);
  });
  return waves;
}

std::vector<WaveModel> wave_models(const Waves& waves, std::span<const std::size_t> groups, const WaveSolve& options,
                                   std::size_t draws) {
  std::vector<WaveModel> models;
  for (std::size_t draw = 0; draw < std::min(draws, waves.rows.draws()); ++draw) {
    WaveSums sums;
    for (const std::size_t g : groups) sums += waves.of_group[g][draw];
    models.push_back(solve(sums, options));
  }
  return models;
}

}  // namespace starope
