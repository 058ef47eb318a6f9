#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/domains.hpp"
#include "starope/types.hpp"
#include "terminal.hpp"

namespace starope::cli {

// What each domain shows, its actions, horizon, policies and true values, to be read on a terminal.
std::string list_text(const std::vector<domains::NamedDomain>& domains, const Terminal& terminal);

// What a policy earns in truth, and how that is known.
struct Truth {
  domains::TrueValue value{};
  Seed seed{};  // of its simulation, if it is one
};

// A value that is known from a long simulation, or else the exact one, or one simulated now.
Truth find_truth(const domains::NamedDomain& domain, const std::string& policy, Horizon horizon, Threads threads);

// "target policy follow: true value 39.2967 +- 0.0052 (4,000,000 simulated episodes, seed 2024; discount 1)"
std::string truth_text(const std::string& who, const std::string& policy, const Truth& truth, Discount discount);

}  // namespace starope::cli
