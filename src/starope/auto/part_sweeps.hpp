#pragma once

#include <cstddef>
#include <cstdint>

namespace starope {

// Processes of several parts of the same episodes (halves of them, say) on the same cells, in lanes: at every sum, one
// number per part. Every lane goes through the operations of a process that stands alone, in the same order: the same
// bits, for any width of the machine's vectors.

inline constexpr std::size_t part_lanes = 8;

// Sums over steps. A step is counted in the parts that its episode belongs to, a bit each.
struct PartSteps {
  std::size_t count = 0;
  const std::uint32_t* cell = nullptr;
  const std::uint32_t* entry = nullptr;  // what happens after it
  const double* weight = nullptr;
  const double* weighted_reward = nullptr;
  const std::uint8_t* parts = nullptr;
};
// Adds the weights to weights[entry] and the rewards to rewards[cell], part_lanes numbers each.
void add_part_steps(const PartSteps& steps, double* weights, double* rewards);

struct PartProcess {
  std::size_t cells = 0;
  double gamma = 1.0;
  const std::uint32_t* offsets = nullptr;  // row z has entries offsets[z] .. offsets[z + 1]
  const std::uint32_t* columns = nullptr;
  const double* share = nullptr;   // [entry][lane]: the probability of a move
  const double* reward = nullptr;  // [cell][lane]
};
// here = reward + gamma P next
void sweep_back(const PartProcess& process, const double* next, double* here);
// next = gamma P' here
void sweep_ahead(const PartProcess& process, const double* here, double* next);

}  // namespace starope
