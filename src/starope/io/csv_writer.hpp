#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "starope/data/dataset.hpp"

namespace starope::io {

struct WriteOptions {
  bool final_states = true;  // a row without action, reward and probabilities where the state after the end is known
};

// Takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;

// Writes the canonical table:
//   episode,t,state|state_0..,action|action_0..,reward,behavior_prob|behavior_logp,target_prob|target_logp,
//   behavior_probs_0..,target_probs_0..,terminated,truncated
// without the columns the data do not have. Numbers have the fewest digits that read back as the same double, so that
// read_csv gives an equal data set (features of states are called state_0, state_1, ... whatever their names were).
void write_csv(const Dataset& data, const TextSink& sink, const WriteOptions& options = {});

// To a file that appears whole or not at all (AtomicFile).
void write_csv(const Dataset& data, const std::string& path, const WriteOptions& options = {});

}  // namespace starope::io
