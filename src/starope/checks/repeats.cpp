#include "starope/checks/repeats.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "starope/checks/probability_checks.hpp"
#include "starope/checks/zero_means.hpp"

namespace starope {
namespace {

constexpr double repeat_alarms = 1e-6;
constexpr double many_repeats = 0.01;  // of all rows: fewer hardly change the answer
constexpr std::int64_t fewest_with_repeats = 10;

// Calls use(same) with a function that tells whether the state of a row is that of the row before.
template <class Use>
void with_same_state(const Dataset& data, const Use& use) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states())) {
    use([&](std::int64_t i) { return discrete->code[i] == discrete->code[i - 1]; });
  } else if (const auto* bits = std::get_if<BinaryStates>(&data.states())) {
    use([&](std::int64_t i) {
      const auto here = bits->row(i), before = bits->row(i - 1);
      return std::equal(here.begin(), here.end(), before.begin());
    });
  } else if (const auto* dense = std::get_if<DenseStates>(&data.states())) {
    dense->values.visit([&](const auto& values) {
      use([at = values.data(), d = dense->dimension](std::int64_t i) {
        return std::equal(at + i * d, at + (i + 1) * d, at + (i - 1) * d);
      });
    });
  } else {
    use([](std::int64_t) { return true; });
  }
}

}  // namespace

Repeats repeats_in(const Dataset& sample) {
  Repeats result;
  const auto* actions = std::get_if<DiscreteActions>(&sample.actions());
  if (actions == nullptr || !sample.behavior()) return result;
  const LoggedProbabilities& behavior = *sample.behavior();
  const double* const rewards = sample.rewards().data();
  const double* const target = sample.target() ? sample.target()->values.data() : nullptr;
  ZeroMeans excess(1);
  with_same_state(sample, [&](const auto& same_state) {
    for (std::int64_t e = 0; e < sample.episodes(); ++e) {
      for (std::int64_t i = sample.first_step(e) + 1; i < sample.first_step(e + 1); ++i) {
        if (!same_state(i)) continue;
        const double chance = std::min(1.0, linear(behavior, i - 1));
        const bool again = actions->id[i] == actions->id[i - 1] && rewards[i] == rewards[i - 1] &&
                           behavior.values[i] == behavior.values[i - 1] &&
                           (target == nullptr || target[i] == target[i - 1]);
        ++result.rows;
        result.repeats += again ? 1 : 0;
        result.expected += chance;
        excess.add(0, (again ? 1.0 : 0.0) - chance, chance * (1.0 - chance), 1.0);
      }
      excess.close_episode();
    }
  });
  if (excess[0].sum > 0.0 && excess[0].episodes >= fewest_with_repeats) result.errors = excess[0].errors();
  return result;
}

std::optional<Finding> repeated_rows(const Dataset& sample) {
  const Repeats seen = repeats_in(sample);
  const double excess = static_cast<double>(seen.repeats) - seen.expected;
  if (seen.errors < errors_allowed(1, repeat_alarms)) return std::nullopt;
  if (excess < many_repeats * static_cast<double>(sample.steps())) return std::nullopt;
  return Finding{
      Severity::warning,
      "repeated_rows",
      {{"repeats", seen.repeats}, {"rows", seen.rows}, {"expected", seen.expected}, {"errors", seen.errors}}};
}

}  // namespace starope
