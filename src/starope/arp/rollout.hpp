#pragma once

#include <cstdint>
#include <optional>

#include "starope/arp/arp_model.hpp"
#include "starope/stats/moments.hpp"
#include "starope/types.hpp"

namespace starope {

struct RolloutOptions {
  std::int64_t rollouts = 10000;
  Seed seed{};
  Threads threads = Threads::all();
  std::int64_t most_steps = 1000000;  // of one rollout without horizon: more is a DegenerateModel
};

// Monte Carlo rollouts of the process, the paper's alternative to the solve: mean and spread of their returns.
Moments roll_out(const ArpModel& model, Discount discount, std::optional<Horizon> horizon,
                 const RolloutOptions& options = {});

}  // namespace starope
