#pragma once

#include <array>
#include <cstdint>

#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

// A fleet of machines whose 256 states are seen as mere ids. Like those of aside_problems.hpp it was
// kept aside to judge `auto` once; its values are exact.
namespace starope::domains {

// Wear of each machine: 0 (new) .. 3 (broken).
using FleetWear = std::array<std::int32_t, 4>;
std::int32_t fleet_state(const FleetWear& wear);  // the digits of the id in base 4, the first machine's the lowest
FleetWear fleet_wear(std::int32_t state);

// Four machines, all new at first, some of which wear faster than others, and all of them faster when some are broken.
// Actions: repair none, the worst one (of equals the first), or all. A step earns the output of the machines as they
// are before it, less the repairs; a repaired machine is new after it. It never ends: horizon 30.
TabularMdp maintenance();

// Where a machine has a wear of 2 or more it repairs with probability `care`, elsewhere with 0.1; four times in five
// the worst one, else all.
TabularPolicy maintenance_policy(double care);

}  // namespace starope::domains
