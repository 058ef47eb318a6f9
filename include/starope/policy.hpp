#pragma once

// Target policies as data: probabilities by state, or the weights of a linear or layered function, from files that
// others write.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// Probabilities of all actions by the id of a discrete state.
struct TabularRule {
  std::int32_t actions = 0;
  std::vector<std::int64_t> states{};   // ascending; empty: one row that holds in every state
  std::vector<double> probabilities{};  // states x actions, each row sums to 1
  friend bool operator==(const TabularRule&, const TabularRule&) = default;
};

enum class Activation { identity, relu, leaky_relu, tanh, sigmoid, elu, silu, gelu, softplus };

// y = activation(W x + b)
struct PolicyLayer {
  std::int64_t inputs = 0, outputs = 0;
  std::vector<float> weights{};  // outputs x inputs
  std::vector<float> bias{};     // one per output
  Activation activation = Activation::identity;
  friend bool operator==(const PolicyLayer&, const PolicyLayer&) = default;
};

// What the numbers of the last layer mean: they are proportional to logarithms of probabilities, or the action with the
// largest one is taken.
enum class PolicyOutput { softmax, greedy };

// A linear policy (one layer) or a network, in single precision, as it was trained.
struct LayeredRule {
  std::vector<std::string> features{};  // which columns of the state, in this order; empty: all, in theirs
  std::vector<float> mean{}, scale{};   // the layers see (x - mean) / scale; empty: x
  std::vector<PolicyLayer> layers{};    // the last one has an output per action
  PolicyOutput output = PolicyOutput::softmax;
  double temperature = 1.0;  // of the softmax
  double epsilon = 0.0;      // with this probability any action
  friend bool operator==(const LayeredRule&, const LayeredRule&) = default;
};

struct TargetPolicy {
  std::variant<TabularRule, LayeredRule> rule{};
  std::string source{};  // for messages: the file it came from
  friend bool operator==(const TargetPolicy&, const TargetPolicy&) = default;

  STAROPE_API std::int32_t actions() const;
};

// A policy from a file: .csv (a column per action, beside them `state`), or .json or .npz with the same table or with
// the weights of layers (docs/data.md has the names). DataError that says what is wrong, or FileError.
STAROPE_API TargetPolicy read_policy(const std::string& path);
STAROPE_API TargetPolicy policy_from_json(std::string_view text, const std::string& source = {});

// The probabilities of all actions in rows first .. last-1 of the state table, row by row. The bits of a row do not
// depend on the others. DataError where these logs have no such states.
STAROPE_API std::vector<double> action_probabilities(const TargetPolicy& policy, const Dataset& data,
                                                     std::int64_t first, std::int64_t last);

// The same logs with this target policy: the probabilities of the logged actions, and the full distributions, which
// estimators with a Q-function need. What the logs said about a target policy before is gone. DataError where they have
// no discrete actions, or actions that the policy does not know.
STAROPE_API Dataset with_target(const Dataset& data, const TargetPolicy& policy, Threads threads = Threads::all());
// Of logs that come in blocks: done to every block when it is taken out.
STAROPE_API Source with_target(const Source& source, const TargetPolicy& policy);

}  // namespace starope
