#pragma once

// Logs that have the target policy's probabilities of all actions.

#include <cstdint>
#include <variant>
#include <vector>

#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

// The same logs with whole distributions: the logged action keeps its probability, the others share the rest at random.
inline Problem with_all_actions(const Problem& problem, Seed seed = {}) {
  const Dataset& data = problem.data();
  const auto& actions = std::get<DiscreteActions>(data.actions());
  const auto count = static_cast<std::size_t>(actions.count);
  Random random(seed, Stream::test_data, 91);
  std::vector<double> all;
  for (std::int64_t row = 0; row < data.steps(); ++row) {
    const auto taken = static_cast<std::size_t>(actions.id[row]);
    const double own = data.target()->values[row];
    std::vector<double> p(count, 0.0);
    double sum = 0.0;
    for (std::size_t a = 0; a < count; ++a) sum += p[a] = a == taken ? 0.0 : random.uniform(0.1, 1.0);
    for (std::size_t a = 0; a < count; ++a) all.push_back(a == taken ? own : (1.0 - own) * p[a] / sum);
  }
  return make_problem(data.with_target_distribution({.actions = actions.count, .values = std::move(all)}),
                      problem.options());
}

}  // namespace starope::testing
