#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// The time-pooled models of a bag's members, solved for every number of steps. Cells of all members are numbered
// through: member m has cells first_cell[m] .. first_cell[m+1]-1. With V_H = 0, V_k = r + g P V_{k+1} and d_0 = eta,
// d_{k+1} = g P' d_k (docs/auto-math.md 2.2: the recording's end is censored, weights are g^t rho_t):
struct PooledTables {
  std::size_t horizon = 0;
  std::size_t value_stride = 0, mass_stride = 0;
  std::vector<std::uint32_t> first_cell{};
  std::vector<double> values{};        // [cell][k]: V_k, k = 0 .. H, zeros behind
  std::vector<double> mass{};          // [cell][k]: d_k, k = 0 .. H-1, zeros behind
  std::vector<double> total_mass{};    // [cell]: sum over k of d_k
  std::vector<double> reward{};        // [cell]: r
  std::vector<double> per_visit{};     // [cell]: episodes / N, 0 where N = 0
  std::vector<double> per_seen{};      // [cell]: episodes / Np, 0 where Np = 0
  std::vector<double> plain{};         // [member]: J of the member alone, the plain H-step value of its ARP
  std::vector<double> mass_of_step{};  // [k]: mean over members of the probability (discounted) of still going on
  double unsupported = 0.0;  // mean over members: mass that enters cells whose outcome nobody saw, before the last step
};

// Zeros, in the sizes that the tables of such a bag and problem have.
PooledTables empty_tables(const Bag& bag, const Problem& problem);

// The models of the given episodes (all of them, or a half), on the bag's cells. problem must have the horizon.
PooledTables pooled_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                           Threads threads = Threads::all());

}  // namespace starope
