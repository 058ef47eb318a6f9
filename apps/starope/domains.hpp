#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
#include "starope/envs/rollout.hpp"

namespace starope::cli {

struct SimulatedPolicy {
  std::string name{};
  std::string meaning{};
};

// What a policy earns in truth.
struct TrueValue {
  double value = 0.0;
  double std_error = 0.0;     // 0: exact
  std::int64_t episodes = 0;  // simulated for it; 0: exact
};

// A world that `starope simulate` can log.
struct SimulatedDomain {
  std::string name{};
  std::string summary{};
  std::int64_t horizon = 0;  // the paper's, and the default
  std::vector<SimulatedPolicy> policies{};
  std::string behavior{};  // the paper's, and the default
  std::string target{};
  std::function<Dataset(const std::string& behavior, const std::string& target, const envs::SimulateOptions& options)>
      simulate{};
  std::function<TrueValue(const std::string& policy, Horizon horizon, Threads threads)> value{};
};

std::vector<SimulatedDomain> simulated_domains();

// UsageError with the nearest name where there is none of this name.
const SimulatedDomain& find_domain(const std::vector<SimulatedDomain>& domains, const std::string& name);
void check_policy(const SimulatedDomain& domain, const std::string& flag, const std::string& policy);

}  // namespace starope::cli
