#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/problem.hpp"

namespace starope {

// The states that count for fitting: s_0 .. s_{T-1} of every episode, up to the horizon. (The state after the last step
// is labeled, but no action was taken there.)

// The counted states' features, one row each. For Problems with real-valued states.
std::vector<double> counted_features(const Problem& problem);

// The same of a sample of logs that come in blocks (sample_episodes, in its order): the numbers, and of the episodes
// nothing else is held.
std::vector<double> sampled_features(const Source& source, std::optional<Horizon> horizon, std::int64_t most_steps);

// The counted states' bits, one row of words each. For Problems with states of bits.
std::vector<std::uint64_t> counted_bits(const Problem& problem);

// How often each code of the discrete states is counted.
std::vector<std::int64_t> counted_visits(const Problem& problem);

// DataError `missing_column` if the logs have no states. `who` is what needs them: "k-means".
void require_states(const Dataset& data, std::string_view who);
inline void require_states(const Problem& problem, std::string_view who) {
  require_states(problem.data(), who);
}

// The states of the wanted kind; InvalidArgument if they are of another kind, DataError if there are none.
const DenseStates& require_dense_states(const Dataset& data, std::string_view who);
const DiscreteStates& require_discrete_states(const Dataset& data, std::string_view who);

}  // namespace starope
