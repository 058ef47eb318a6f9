#include "starope/domains/maintenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

constexpr std::int32_t machines = 4, levels = 4, broken = levels - 1;
constexpr std::int32_t fleet_states = levels * levels * levels * levels;
constexpr std::int32_t repair_worst = 1, repair_all = 2, repairs = 3;

constexpr std::array<double, levels> output{1.0, 0.9, 0.6, 0.0};
constexpr std::array<double, machines> wear_chance{0.1, 0.15, 0.2, 0.25};
constexpr std::array<double, repairs> repair_cost{0.0, 0.7, 2.0};

std::size_t worst_machine(const FleetWear& wear) {
  return static_cast<std::size_t>(std::max_element(wear.begin(), wear.end()) - wear.begin());
}

double reward_of(const FleetWear& wear, std::int32_t action) {
  double sum = -repair_cost[action];
  for (const std::int32_t w : wear) sum += output[w];
  return sum;
}

std::vector<Outcome> outcomes_of(const FleetWear& wear, std::int32_t action) {
  struct Branch {
    FleetWear wear;
    double probability;
  };
  // The others must do the work of the broken ones: up to 0.25 (1 + 3 / 2) for the last working machine.
  const double load = 1.0 + 0.5 * static_cast<double>(std::count(wear.begin(), wear.end(), broken));
  std::vector<Branch> branches{{wear, 1.0}};
  for (std::size_t m = 0; m < wear.size(); ++m) {
    if (action == repair_all || (action == repair_worst && m == worst_machine(wear))) {
      for (Branch& branch : branches) branch.wear[m] = 0;
    } else if (wear[m] < broken) {
      const double chance = wear_chance[m] * load;
      const std::size_t count = branches.size();
      for (std::size_t b = 0; b < count; ++b) {
        Branch worn = branches[b];
        ++worn.wear[m];
        worn.probability *= chance;
        branches[b].probability *= 1.0 - chance;
        branches.push_back(worn);
      }
    }
  }
  const double reward = reward_of(wear, action);
  std::vector<Outcome> outcomes;
  for (const Branch& branch : branches) outcomes.push_back({fleet_state(branch.wear), branch.probability, reward});
  return outcomes;
}

}  // namespace

std::int32_t fleet_state(const FleetWear& wear) {
  std::int32_t state = 0;
  for (std::size_t m = wear.size(); m-- > 0;) state = levels * state + wear[m];
  return state;
}

FleetWear fleet_wear(std::int32_t state) {
  FleetWear wear{};
  for (std::int32_t& w : wear) {
    w = state % levels;
    state /= levels;
  }
  return wear;
}

TabularMdp maintenance() {
  MdpDescription d = MdpDescription::with_own_rows(fleet_states, repairs);
  for (std::int32_t s = 0; s < fleet_states; ++s)
    for (std::int32_t a = 0; a < repairs; ++a) d.outcomes(s, a) = outcomes_of(fleet_wear(s), a);
  d.start[0] = 1.0;
  return TabularMdp(d);
}

TabularPolicy maintenance_policy(double care) {
  if (!(care >= 0.0 && care <= 1.0)) throw InvalidArgument(fmt::format("care must be a probability, not {}", care));
  std::vector<double> probabilities;
  for (std::int32_t s = 0; s < fleet_states; ++s) {
    const FleetWear wear = fleet_wear(s);
    const double repair = wear[worst_machine(wear)] >= 2 ? care : 0.1;
    probabilities.insert(probabilities.end(), {1.0 - repair, 0.8 * repair, 0.2 * repair});
  }
  return {fleet_states, repairs, std::move(probabilities)};
}

}  // namespace starope::domains
