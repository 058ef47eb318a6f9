// An own world in one file: describe it, log it under one policy, ask what another policy would have earned, and
// compare the answers with the truth. docs/own-domain.md explains every step.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <starope/domains.hpp>
#include <starope/starope.hpp>

namespace {

namespace domains = starope::domains;
using starope::Dataset, starope::Estimate, starope::Horizon, starope::Problem, starope::Random, starope::Seed;

// A shop with room for ten items. Each morning it orders none, two, four or six; each day some are asked for, more at
// the weekend. A sold item earns 2, an ordered one costs 1. With a small chance the shop closes for good.
class Shop {
 public:
  struct State {
    std::int32_t stock = 5;
    std::int32_t weekday = 0;
  };

  std::int32_t actions() const { return 4; }

  State reset(Random& random) const { return {.stock = 5, .weekday = static_cast<std::int32_t>(random.below(7))}; }

  domains::Transition step(State& state, std::int32_t action, Random& random) const {
    const std::int32_t ordered = std::min(2 * action, room - state.stock);
    const std::int32_t demand = static_cast<std::int32_t>(random.below(state.weekday >= 5 ? 8 : 4));
    const std::int32_t sold = std::min(demand, state.stock + ordered);
    state.stock += ordered - sold;
    state.weekday = (state.weekday + 1) % 7;
    return {.reward = 2.0 * sold - 1.0 * ordered, .terminated = random.uniform() < 0.02};
  }

  // What the logs show of a state, and what policies may look at.
  std::vector<std::string> feature_names() const { return {"stock", "weekday"}; }
  void observe(const State& state, std::span<double> features) const {
    features[0] = state.stock;
    features[1] = state.weekday;
  }

 private:
  static constexpr std::int32_t room = 10;
};

// Policies are functions that write the probability of every action.
void careless(const Shop::State& /*whatever the state*/, std::span<double> probabilities) {
  std::fill(probabilities.begin(), probabilities.end(), 0.25);
}

void prudent(const Shop::State& state, std::span<double> probabilities) {
  const std::int32_t wanted = state.weekday >= 5 ? 7 : 3;
  const auto best = std::clamp((wanted - state.stock + 1) / 2, 0, 3);
  std::fill(probabilities.begin(), probabilities.end(), 0.1);
  probabilities[best] = 0.7;
}

}  // namespace

int main() {
  const Shop shop;
  const Horizon horizon{30};
  const Dataset logs =
      domains::simulate_episodes(shop, careless, prudent, {.episodes = 2000, .horizon = horizon, .seed = Seed{1}});
  const Problem problem = starope::make_problem(logs, starope::ProblemOptions{.horizon = horizon});

  const auto truth =
      domains::monte_carlo_value(shop, prudent, {.episodes = 200'000, .horizon = horizon, .seed = Seed{2}});
  std::printf("%-28s %8.3f +- %.3f\n", "truth (simulated)", truth.value, truth.standard_error);
  for (const starope::NamedEstimator& each :
       starope::parse_estimators("naive,wis,wpdis,star(phi=identity,clip=1,truncation=censor,horizon=30)")) {
    const Estimate answer = starope::estimate(each.estimator, problem);
    std::printf("%-28.28s %8.3f +- %.3f\n", each.text.c_str(), answer.value, answer.std_error.value_or(0.0));
  }
}
